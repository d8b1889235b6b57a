#include <stdio.h>
#include <stdlib.h>

/* Also when optimised, they are called. */
#define CALLED __attribute__((noipa))

enum color { RED, GREEN = 5, BLUE = -1 };

struct node {
    int value;
    struct node *next;
    unsigned low : 3, high : 7;
    int negative : 5;
    enum color color;
    union {
        int number;
        float fraction;
    };
};

typedef struct {
    double x, y;
} point;

struct flexible {
    int count;
    char data[];
};

point origin;
int matrix[3][4];
int (*callback)(int, char *, ...);
int (*(*table)[3])(void);
struct opaque *hidden;
struct flexible *flexible;
__thread int of_thread;
static struct node *list;

CALLED static int depth(int n) {
    if (n == 0)
        return list->value; /* BREAK */
    int below = depth(n - 1);
    return below + n;
}

static int compare(const void *a, const void *b) {
    int x = *(const int *)a, y = *(const int *)b;
    return x < y ? -1 : x > y;
}

CALLED static struct node *push(struct node *next, int value) {
    struct node *new = calloc(1, sizeof *new);
    new->value = value;
    new->next = next;
    new->high = value + 1;
    return new;
}

int main(int argc, char **argv) {
    static int calls;
    int numbers[] = {3, 1, 2};
    long length = 0;
    for (int i = 0; i < 3; i++) {
        list = push(list, numbers[i] + argc);
        length++;
    }
    calls += depth(3);
    qsort(numbers, 3, sizeof *numbers, compare);
    printf("%d %d %ld %s\n", calls, numbers[0], length, argv[0] ? "" : "none");
    return 0;
}
