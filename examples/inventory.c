/* A small inventory. It compiled yesterday; today the compiler says "redefinition of ...". */

#include <stddef.h>

#define MAX_ITEMS 64

struct item {
    const char *name;
    int count;
    long cents;
};

struct shelf {
    struct item items[MAX_ITEMS];
    size_t used;
    struct shelf *next;
};

enum result { OK, FULL, MISSING };

static int same(const char *a, const char *b)
{
    while (*a && *a == *b) {
        a++;
        b++;
    }
    return *a == *b;
}

struct item *find(struct shelf *shelf, const char *name)
{
    for (; shelf; shelf = shelf->next) {
        for (size_t i = 0; i < shelf->used; i++) {
            if (same(shelf->items[i].name, name))
                return &shelf->items[i];
        }
    }
    return NULL;
}

enum result put(struct shelf *shelf, const char *name, int count, long cents)
{
    struct item *known = find(shelf, name);
    if (known) {
        known->count += count;
        known->cents = cents;
        return OK;
    }
    if (shelf->used == MAX_ITEMS)
        return FULL;
    shelf->items[shelf->used++] = (struct item){name, count, cents};
    return OK;
}

long value(const struct shelf *shelf)
{
    long total = 0;
    for (size_t i = 0; i < shelf->used; i++) {
        const struct item *item = &shelf->items[i];
        total += item->count * item->cents;
    }
    return total;
}

enum result take(struct shelf *shelf, const char *name, int count)
{
    struct item *item = find(shelf, name);
    if (!item || item->count < count)
        return MISSING;
    item->count -= count;
    return OK;
}

long value(const struct shelf *shelf)
{
    long sum = 0;
    for (; shelf; shelf = shelf->next)
        for (size_t i = 0; i < shelf->used; i++)
            sum += shelf->items[i].count * shelf->items[i].cents;
    return sum;
}

int main(void)
{
    struct shelf shelf = {.used = 0};
    put(&shelf, "screw", 100, 2);
    put(&shelf, "hammer", 3, 1299);
    take(&shelf, "screw", 40);
    return value(&shelf) == 0;
}
