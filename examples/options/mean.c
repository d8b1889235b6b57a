/* The mean of readings. A sensor that is off sends NaN, which does not count. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static double mean(const double *readings, int count) {
    double sum = 0;
    int valid = 0;
    for (int i = 0; i < count; i++) {
        if (!isnan(readings[i])) {
            sum += readings[i];
            valid++;
        }
    }
    return sum / valid;
}
int main(void) {
    double readings[] = {1.5, strtod("nan", NULL), 2.5};
    double result = mean(readings, 3);
    char shown[32];
    snprintf(shown, sizeof shown, "%g", result);
    puts(shown);
    return strcmp(shown, "2") != 0;
}
