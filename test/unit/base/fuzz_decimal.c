/*
 * fuzz_decimal.c -- dp_decimal_parse on any text: the two roundings must
 * agree, be one apart at most, and survive being printed.
 */
#include <stdlib.h>
#include <string.h>

#include "core/accounting/budget.h"
#include "core/base/decimal.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
require(bool condition)
{
	if (!condition)
		abort();
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int digits = size > 0 ? data[0] % 19 : 0;
	char text[256], printed[32];
	int64_t down = 0, up = 0, back = 0;
	size_t length = size < sizeof(text) ? size : sizeof(text) - 1;
	DpStatus status, status_up;

	memcpy(text, data, length);
	text[length] = '\0';
	if (length > 0)
		memmove(text, text + 1, length);
	status = dp_decimal_parse(text, digits, false, &down);
	status_up = dp_decimal_parse(text, digits, true, &up);
	require((status == DP_ERR_ARGUMENT) == (status_up == DP_ERR_ARGUMENT));
	if (status != DP_OK || status_up != DP_OK)
		return 0;
	require(down >= 0 && up >= down && up - down <= 1);
	dp_decimal_print(down, digits, printed);
	require(strlen(printed) < sizeof(printed));
	require(dp_decimal_parse(printed, digits, true, &back) == DP_OK && back == down);
	return 0;
}
