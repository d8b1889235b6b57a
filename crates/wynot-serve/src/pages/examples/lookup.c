#include <stdio.h>
#include <stdlib.h>

static int *table;

static int lookup(int size, int at) { return at < size ? table[at] : *(int *)0; }

int main(int argc, char **argv) {
    int size = atoi(argv[1]);
    int at = argc;
    table = calloc(size + 1, sizeof *table);
    int limit = size - 5;
    printf("%d\n", lookup(limit, at));
    return 0;
}
