#include <stdio.h>
#include <stdlib.h>

/* A little program with an off-by-one loop in it. */
struct point { int x; int y; };
static int table[16];
static const char *names[] = { "zero", "one", "two", "three" };

static int square(int v) { return v * v; }

static void fill(int n)
{
    int i;
    for (i = 0; i <= n; i++)
        table[i] = square(i) + 1;
}

static int total(int n)
{
    int i, sum = 0;
    for (i = 0; i < n; i++)
        sum += table[i];
    return sum;
}

int main(void)
{
    struct point p = { 3, 4 };
    int unused_value;
    fill(10);
    printf("%s %d\n", names[p.x], total(p.y));
    if (total(10) > 1000)
        abort();
    return 0;
}
