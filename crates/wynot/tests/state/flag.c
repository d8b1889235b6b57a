/* Counts words; an option makes it forget to allocate the table. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct options {
    unsigned verbose : 1;
    unsigned compact : 1;
    unsigned width : 6;
};

static struct options options = { 0, 0, 8 };
static int *table;

static void read_options(int argc, char *argv[])
{
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], "-c") == 0)
            options.compact = 1;
        else if (strcmp(argv[i], "-v") == 0)
            options.verbose = 1;
}

static void set_up(void)
{
    if (!options.compact)
        table = calloc(options.width, sizeof *table);
}

static void count(const char *word)
{
    table[strlen(word) % options.width]++;
}

int main(int argc, char *argv[])
{
    read_options(argc, argv);
    set_up();
    for (int i = 1; i < argc; i++)
        count(argv[i]);
    printf("%d words\n", argc - 1);
    return 0;
}
