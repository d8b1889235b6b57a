/* Makes a table of some rows, and with -h of a heading; it has room for ten lines. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int heading, rows;
static char table[10];

static void read_options(int argc, char **argv) {
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "-h") == 0)
            heading = 1;
        else
            rows = atoi(argv[i]);
    }
}

static void fill(int lines) {
    if (lines > 10)
        abort();
    memset(table, '*', lines);
}

int main(int argc, char **argv) {
    read_options(argc, argv);
    fill(rows + heading);
    printf("%d\n", rows);
}
