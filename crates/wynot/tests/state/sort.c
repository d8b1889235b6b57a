/* Sorts the numbers that it is given; the sort is told that there is one more. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void shell_sort(int a[], int size)
{
    int h = 1;
    do {
        h = h * 3 + 1;
    } while (h <= size);
    do {
        h /= 3;
        for (int i = h; i < size; i++) {
            int v = a[i];
            int j;
            for (j = i; j >= h && a[j - h] > v; j -= h)
                a[j] = a[j - h];
            if (i != j)
                a[j] = v;
        }
    } while (h != 1);
}

int main(int argc, char *argv[])
{
    char *greeting = malloc(24);
    strcpy(greeting, "numbers, then sorted: ");
    free(greeting);

    int *a = malloc((argc - 1) * sizeof(int));
    for (int i = 0; i < argc - 1; i++)
        a[i] = atoi(argv[i + 1]);
    shell_sort(a, argc);
    for (int i = 0; i < argc - 1; i++)
        printf("%d ", a[i]);
    printf("\n");
    free(a);
    return 0;
}
