/*
 * test_matrix.c -- matrices of shades, and their key.
 */
#include "unit_figure.h"

static void
test_matrix(void)
{
	static const char *const name[] = {"<script>", "b"};
	static const double value[] = {0, NAN, 0.05, NAN};
	DpMatrix matrix = {words, 2, name, value, {0.01, 0.02, 0.05, 0.1, 0.2}, 0.01};

	dp_page_start(&page, &arena);
	dp_put_matrix(&page, &matrix);
	check_whole("a matrix");
	CHECK_I64(count("<rect "), 3, "a matrix is a triangle with its diagonal");
	CHECK_I64(count("class=\"hatched\""), 1, "what is unknown is hatched");
	CHECK_I64(dp_matrix_shade(&matrix, 0.0099), 0, "below the first edge");
	CHECK_I64(dp_matrix_shade(&matrix, 0.05), 3, "at an edge");
	CHECK_I64(dp_matrix_shade(&matrix, 7), 5, "above the last edge");
	CHECK(count(">5.0</text>") == 1, "a cell has its number");
	dp_put_matrix_key(&page, &matrix, "<script>");
	CHECK_I64(count("<script"), 0, "a key lets no markup in");
}

static unsigned
won(double advantage)
{
	dp_page_start(&page, &arena);
	dp_put_guesses(&page, &words, advantage);
	CHECK_I64(count("<circle ") + count("<rect "), 100, "a hundred guesses");
	return count("<rect class=\"won\"");
}

static void
test_guesses(void)
{
	CHECK_I64(won(0), 0, "nothing is won");
	CHECK_I64(won(tanh(0.5)), 24, "a bound is rounded up");
	CHECK_I64(won(1), 50, "all is won");
	CHECK_I64(won(7), 50, "no more than all");
}

int
main(void)
{
	arena = dp_arena_malloc();
	test_matrix();
	test_guesses();
	dp_arena_malloc_free(&arena);
	return unit_finish();
}
