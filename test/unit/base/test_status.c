/*
 * test_status.c -- errors: what is filled, what NULL does, and that a text is never cut inside a
 * character.
 */
#include "core/base/status.h"

#include "unit.h"

static void
test_cut(void)
{
	char name[400];
	DpError error;
	bool whole = true;
	size_t length;

	for (size_t i = 0; i < sizeof(name) - 1; i += 2)
		memcpy(name + i, "\xc3\xa9", 2);
	name[sizeof(name) - 2] = '\0';
	for (int before = 0; before < 2; before++)
	{
		(void) dp_fail(&error, DP_ERR_RANGE, "%s%s", before ? "x" : "", name);
		length = strlen(error.message);
		whole &=
			length < sizeof(error.message) && memcmp(error.message + length - 3, "...", 3) == 0;
		whole &= (unsigned char) error.message[length - 4] == 0xa9;
	}
	CHECK(whole, "a long message ends in whole characters and ...");
}

int
main(void)
{
	DpError error;

	CHECK_STATUS(dp_fail(&error, DP_ERR_LIMIT, "%d is too many", 3), DP_ERR_LIMIT,
				 "it is returned");
	dp_fail_detail(&error, "at most %d", 2);
	dp_fail_hint(&error, "take fewer");
	CHECK_STRING(error.message, "3 is too many", "the message");
	CHECK_STRING(error.detail, "at most 2", "the detail");
	CHECK_STRING(error.hint, "take fewer", "the hint");
	CHECK_STATUS(dp_fail_filled(&error, DP_ERR_LIMIT), DP_ERR_LIMIT, "a filled error stays");
	CHECK_STRING(error.detail, "at most 2", "with its detail");
	CHECK_STATUS(dp_fail_filled(&error, DP_ERR_MEMORY), DP_ERR_MEMORY, "a bare status fills it");
	CHECK_STRING(error.message, dp_status_text(DP_ERR_MEMORY), "with its sentence");
	CHECK(error.detail[0] == '\0' && error.hint[0] == '\0', "and nothing of the error before");
	CHECK_STATUS(dp_fail(NULL, DP_ERR_RANGE, "x"), DP_ERR_RANGE, "NULL is allowed");
	dp_fail_detail(NULL, "x");
	dp_fail_hint(NULL, "x");
	CHECK_STATUS(dp_fail_filled(NULL, DP_ERR_RANGE), DP_ERR_RANGE, "there too");
	for (DpStatus status = DP_OK; status <= DP_ERR_INTERNAL; status++)
		CHECK(strcmp(dp_status_text(status), "unknown status") != 0, "status %d has a sentence",
			  (int) status);
	test_cut();
	return unit_finish();
}
