//! The shapes of attributes in class files of Java.

/// What some bytes of an attribute are.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Shape {
    /// As many bytes that depend on nothing.
    Bytes(usize),
    /// The number of a constant.
    Constant,
    /// The position of an instruction.
    Place,
    /// The position of an instruction, and the length of the instructions from there.
    Stretch,
    /// A number of as many bytes, and as many entries.
    Table(usize, &'static [Shape]),
    /// A number and attributes.
    Attributes,
    /// Instructions after limits and before handlers and attributes.
    Code,
    /// A value in an annotation.
    Element,
    /// A frame of the stack.
    Frame,
    /// The type of a value on the stack.
    StackType,
}

use Shape::{Attributes, Bytes, Code, Constant, Element, Frame, Place, Stretch, Table};

/// The shape of an annotation: its type, and names with values.
pub(crate) const ANNOTATION: &[Shape] = &[Constant, Table(2, &[Constant, Element])];
const ANNOTATIONS: &[Shape] = &[Table(2, ANNOTATION)];
const PARAMETER_ANNOTATIONS: &[Shape] = &[Table(1, &[Table(2, ANNOTATION)])];
const CONSTANTS: &[Shape] = &[Table(2, &[Constant])];
const VARIABLES: &[Shape] = &[Table(2, &[Stretch, Constant, Constant, Bytes(2)])];

/// The attributes that are known, by their names.
pub(crate) const ATTRIBUTES: &[(&str, &[Shape])] = &[
    ("AnnotationDefault", &[Element]),
    ("BootstrapMethods", &[Table(2, &[Constant, Table(2, &[Constant])])]),
    ("Code", &[Code]),
    ("ConstantValue", &[Constant]),
    ("Deprecated", &[]),
    ("EnclosingMethod", &[Constant, Constant]),
    ("Exceptions", CONSTANTS),
    ("InnerClasses", &[Table(2, &[Constant, Constant, Constant, Bytes(2)])]),
    ("LineNumberTable", &[Table(2, &[Place, Bytes(2)])]),
    ("LocalVariableTable", VARIABLES),
    ("LocalVariableTypeTable", VARIABLES),
    ("MethodParameters", &[Table(1, &[Constant, Bytes(2)])]),
    ("NestHost", &[Constant]),
    ("NestMembers", CONSTANTS),
    ("PermittedSubclasses", CONSTANTS),
    ("Record", &[Table(2, &[Constant, Constant, Attributes])]),
    ("RuntimeInvisibleAnnotations", ANNOTATIONS),
    ("RuntimeInvisibleParameterAnnotations", PARAMETER_ANNOTATIONS),
    ("RuntimeVisibleAnnotations", ANNOTATIONS),
    ("RuntimeVisibleParameterAnnotations", PARAMETER_ANNOTATIONS),
    ("Signature", &[Constant]),
    ("SourceFile", &[Constant]),
    ("StackMapTable", &[Table(2, &[Frame])]),
    ("Synthetic", &[]),
];
