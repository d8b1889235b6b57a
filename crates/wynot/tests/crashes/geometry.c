/* Polygon helpers used by a plotting tool: points, boxes, areas, and a
   tiny fixed-size stack of clip regions. */

#define MAX_POINTS 32
#define MAX_CLIPS 8

struct point {
    double x;
    double y;
};

struct box {
    struct point low;
    struct point high;
};

struct polygon {
    int used;
    struct point corner[MAX_POINTS];
};

static struct box clip_stack[MAX_CLIPS];
static int clip_depth;

static double smaller(double a, double b)
{
    return a < b ? a : b;
}

static double larger(double a, double b)
{
    return a > b ? a : b;
}

int polygon_add(struct polygon *poly, double x, double y)
{
    if (poly->used >= MAX_POINTS)
        return 0;
    poly->corner[poly->used].x = x;
    poly->corner[poly->used].y = y;
    poly->used++;
    return 1;
}

/* Twice the signed area, by the shoelace rule. */
double polygon_area2(const struct polygon *poly)
{
    double sum = 0.0;
    for (int i = 0; i < poly->used; i++) {
        const struct point *p = &poly->corner[i];
        const struct point *q = &poly->corner[(i + 1) % poly->used];
        sum += p->x * q->y - q->x * p->y;
    }
    return sum;
}

/* Midpoint of a box, evaluated without reassociation. */
struct point box_centre(struct box b)
{
    struct point mid;
    mid.x = b.low.x + (b.high.x - b.low.x) / 2.0;
    mid.y = b.low.y + (b.high.y - b.low.y) / 2.0;
    mid = __builtin_assoc_barrier(mid);
    return mid;
}

struct box polygon_bounds(const struct polygon *poly)
{
    struct box out = { { 0.0, 0.0 }, { 0.0, 0.0 } };
    if (poly->used == 0)
        return out;
    out.low = out.high = poly->corner[0];
    for (int i = 1; i < poly->used; i++) {
        out.low.x = smaller(out.low.x, poly->corner[i].x);
        out.low.y = smaller(out.low.y, poly->corner[i].y);
        out.high.x = larger(out.high.x, poly->corner[i].x);
        out.high.y = larger(out.high.y, poly->corner[i].y);
    }
    return out;
}

int clip_push(struct box region)
{
    if (clip_depth == MAX_CLIPS)
        return 0;
    clip_stack[clip_depth++] = region;
    return 1;
}

int clip_contains(double x, double y)
{
    for (int i = 0; i < clip_depth; i++) {
        const struct box *c = &clip_stack[i];
        if (x < c->low.x || x > c->high.x)
            return 0;
        if (y < c->low.y || y > c->high.y)
            return 0;
    }
    return 1;
}
