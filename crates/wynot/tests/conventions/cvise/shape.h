#ifndef SHAPE_H
#define SHAPE_H
enum colour { RED, GREEN, BLUE };
struct shape {
    int width;
    int height;
    int magic_field;
};
int area(struct shape s);
int perimeter(struct shape s);
#endif
