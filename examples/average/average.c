/* Prints the average of its arguments; with one argument, it crashes. */
#include <stdio.h>
#include <stdlib.h>

static int numbers[8];
static int length;

static void read_numbers(int argc, char *argv[])
{
    length = argc - 2;
    for (int i = 0; i < length; i++)
        numbers[i] = atoi(argv[i + 1]);
}

static int sum(void)
{
    int all = 0;
    for (int i = 0; i < length; i++)
        all += numbers[i];
    return all;
}

int main(int argc, char *argv[])
{
    read_numbers(argc, argv);
    printf("%d\n", sum() / length);
    return 0;
}
