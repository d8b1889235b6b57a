#include "shape.h"
#include <stdio.h>

static int counter;

static void tick(void) { counter++; }

int area(struct shape s)
{
    tick();
    return s.width * s.height;
}

int main(void)
{
    struct shape s = { 2, 5, 7 };
    int i;
    for (i = 0; i < 3; i++)
        tick();
    printf("%d %d\n", area(s), counter);
    return s.magic_field;
}
