/*
 * table_distance.c -- how far two contingency tables over the same cells are apart.
 */
#include "core/evaluate/table_distance.h"

#include <math.h>

double
dp_table_total_variation(const DpTablePair *pair)
{
	double first = (double) pair->first_total;
	double second = (double) pair->second_total;
	double sum = 0;

	for (uint64_t i = 0; i < pair->cells; i++)
		sum += fabs((double) pair->first[i] / first - (double) pair->second[i] / second);
	return sum / 2;
}

double
dp_table_largest_difference(const DpTablePair *pair)
{
	double first = (double) pair->first_total;
	double second = (double) pair->second_total;
	double largest = 0;

	for (uint64_t i = 0; i < pair->cells; i++)
		largest = fmax(largest,
					   fabs((double) pair->first[i] / first - (double) pair->second[i] / second));
	return largest;
}
