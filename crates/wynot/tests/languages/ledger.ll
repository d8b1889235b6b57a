target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

%struct.entry = type { i32, i32, i32, ptr }

@accounts = dso_local local_unnamed_addr global [64 x i32] zeroinitializer, align 16
@total = dso_local local_unnamed_addr global i32 0, align 4
@.str = private unnamed_addr constant [10 x i8] c"overdrawn\00", align 1
@.str.1 = private unnamed_addr constant [6 x i8] c"large\00", align 1
@__const.main.a = private unnamed_addr constant %struct.entry { i32 1, i32 300, i32 2, ptr null }, align 8
@.str.2 = private unnamed_addr constant [6 x i8] c"total\00", align 1
@.str.3 = private unnamed_addr constant [8 x i8] c"average\00", align 1
@.str.4 = private unnamed_addr constant [9 x i8] c"interest\00", align 1
@switch.table.main = private unnamed_addr constant [6 x i32] [i32 3, i32 7, i32 11, i32 3, i32 3, i32 2], align 4

; Function Attrs: nofree norecurse nosync nounwind memory(read, inaccessiblemem: none) uwtable
define dso_local ptr @find(ptr noundef readonly %0, i32 noundef %1) local_unnamed_addr #0 {
  %3 = icmp eq ptr %0, null
  br i1 %3, label %12, label %4

4:                                                ; preds = %2, %8
  %5 = phi ptr [ %10, %8 ], [ %0, %2 ]
  %6 = load i32, ptr %5, align 8, !tbaa !5
  %7 = icmp eq i32 %6, %1
  br i1 %7, label %12, label %8

8:                                                ; preds = %4
  %9 = getelementptr inbounds %struct.entry, ptr %5, i64 0, i32 3
  %10 = load ptr, ptr %9, align 8, !tbaa !11
  %11 = icmp eq ptr %10, null
  br i1 %11, label %12, label %4, !llvm.loop !12

12:                                               ; preds = %4, %8, %2
  %13 = phi ptr [ null, %2 ], [ %5, %4 ], [ null, %8 ]
  ret ptr %13
}

; Function Attrs: nofree norecurse nosync nounwind memory(read, inaccessiblemem: none) uwtable
define dso_local i32 @balance(ptr noundef readonly %0, i32 noundef %1) local_unnamed_addr #0 {
  %3 = icmp eq ptr %0, null
  br i1 %3, label %18, label %4

4:                                                ; preds = %2, %13
  %5 = phi i32 [ %14, %13 ], [ 0, %2 ]
  %6 = phi ptr [ %16, %13 ], [ %0, %2 ]
  %7 = load i32, ptr %6, align 8, !tbaa !5
  %8 = icmp eq i32 %7, %1
  br i1 %8, label %9, label %13

9:                                                ; preds = %4
  %10 = getelementptr inbounds %struct.entry, ptr %6, i64 0, i32 1
  %11 = load i32, ptr %10, align 4, !tbaa !15
  %12 = add nsw i32 %11, %5
  br label %13

13:                                               ; preds = %4, %9
  %14 = phi i32 [ %12, %9 ], [ %5, %4 ]
  %15 = getelementptr inbounds %struct.entry, ptr %6, i64 0, i32 3
  %16 = load ptr, ptr %15, align 8, !tbaa !11
  %17 = icmp eq ptr %16, null
  br i1 %17, label %18, label %4, !llvm.loop !16

18:                                               ; preds = %13, %2
  %19 = phi i32 [ 0, %2 ], [ %14, %13 ]
  ret i32 %19
}

; Function Attrs: mustprogress nocallback nofree nosync nounwind willreturn memory(argmem: readwrite)
declare void @llvm.lifetime.start.p0(i64 immarg, ptr nocapture) #1

; Function Attrs: mustprogress nocallback nofree nosync nounwind willreturn memory(argmem: readwrite)
declare void @llvm.lifetime.end.p0(i64 immarg, ptr nocapture) #1

; Function Attrs: mustprogress nofree norecurse nosync nounwind willreturn memory(none) uwtable
define dso_local i32 @class_of(i32 noundef %0) local_unnamed_addr #2 {
  %2 = sdiv i32 %0, 100
  %3 = icmp ult i32 %2, 6
  br i1 %3, label %6, label %4

4:                                                ; preds = %6, %1
  %5 = and i32 %0, 15
  br label %15

6:                                                ; preds = %1
  %7 = trunc i32 %2 to i8
  %8 = lshr i8 39, %7
  %9 = and i8 %8, 1
  %10 = icmp eq i8 %9, 0
  br i1 %10, label %4, label %11

11:                                               ; preds = %6
  %12 = sext i32 %2 to i64
  %13 = getelementptr inbounds [6 x i32], ptr @switch.table.main, i64 0, i64 %12
  %14 = load i32, ptr %13, align 4
  br label %15

15:                                               ; preds = %11, %4
  %16 = phi i32 [ %5, %4 ], [ %14, %11 ]
  ret i32 %16
}

; Function Attrs: nounwind uwtable
define dso_local void @post(ptr nocapture noundef readonly %0) local_unnamed_addr #3 {
  %2 = load i32, ptr %0, align 8, !tbaa !5
  %3 = and i32 %2, 63
  %4 = getelementptr inbounds %struct.entry, ptr %0, i64 0, i32 1
  %5 = load i32, ptr %4, align 4, !tbaa !15
  %6 = zext i32 %3 to i64
  %7 = getelementptr inbounds [64 x i32], ptr @accounts, i64 0, i64 %6
  %8 = load i32, ptr %7, align 4, !tbaa !17
  %9 = add nsw i32 %8, %5
  store i32 %9, ptr %7, align 4, !tbaa !17
  %10 = load i32, ptr %4, align 4, !tbaa !15
  %11 = load i32, ptr @total, align 4, !tbaa !17
  %12 = add nsw i32 %11, %10
  store i32 %12, ptr @total, align 4, !tbaa !17
  %13 = icmp slt i32 %9, 0
  br i1 %13, label %14, label %15

14:                                               ; preds = %1
  tail call void @report(ptr noundef nonnull @.str, i32 noundef %9) #7
  br label %15

15:                                               ; preds = %14, %1
  ret void
}

declare void @report(ptr noundef, i32 noundef) local_unnamed_addr #4

; Function Attrs: nofree norecurse nosync nounwind memory(none) uwtable
define dso_local i32 @greatest_common(i32 noundef %0, i32 noundef %1) local_unnamed_addr #5 {
  %3 = icmp eq i32 %1, 0
  br i1 %3, label %9, label %4

4:                                                ; preds = %2, %4
  %5 = phi i32 [ %6, %4 ], [ %0, %2 ]
  %6 = phi i32 [ %7, %4 ], [ %1, %2 ]
  %7 = srem i32 %5, %6
  %8 = icmp eq i32 %7, 0
  br i1 %8, label %9, label %4, !llvm.loop !18

9:                                                ; preds = %4, %2
  %10 = phi i32 [ %0, %2 ], [ %6, %4 ]
  ret i32 %10
}

; Function Attrs: nounwind uwtable
define dso_local i32 @average(ptr noundef readonly %0) local_unnamed_addr #3 {
  %2 = icmp eq ptr %0, null
  br i1 %2, label %14, label %3

3:                                                ; preds = %1, %3
  %4 = phi i32 [ %10, %3 ], [ 0, %1 ]
  %5 = phi i32 [ %7, %3 ], [ 0, %1 ]
  %6 = phi ptr [ %12, %3 ], [ %0, %1 ]
  %7 = add nuw nsw i32 %5, 1
  %8 = getelementptr inbounds %struct.entry, ptr %6, i64 0, i32 1
  %9 = load i32, ptr %8, align 4, !tbaa !15
  %10 = add nsw i32 %9, %4
  %11 = getelementptr inbounds %struct.entry, ptr %6, i64 0, i32 3
  %12 = load ptr, ptr %11, align 8, !tbaa !11
  %13 = icmp eq ptr %12, null
  br i1 %13, label %14, label %3, !llvm.loop !19

14:                                               ; preds = %3, %1
  %15 = phi i32 [ 0, %1 ], [ %7, %3 ]
  %16 = phi i32 [ 0, %1 ], [ %10, %3 ]
  %17 = icmp sgt i32 %16, 1000000
  br i1 %17, label %18, label %19

18:                                               ; preds = %14
  tail call void @report(ptr noundef nonnull @.str.1, i32 noundef %16) #7
  br label %19

19:                                               ; preds = %18, %14
  %20 = icmp eq i32 %15, 0
  %21 = select i1 %20, i32 1, i32 %15
  %22 = sdiv i32 %16, %21
  ret i32 %22
}

; Function Attrs: nofree norecurse nosync nounwind memory(read, inaccessiblemem: none) uwtable
define dso_local i32 @interest(ptr noundef readonly %0, i32 noundef %1) local_unnamed_addr #0 {
  %3 = icmp eq ptr %0, null
  br i1 %3, label %23, label %4

4:                                                ; preds = %2
  %5 = icmp sgt i32 %1, 0
  br label %6

6:                                                ; preds = %4, %18
  %7 = phi i32 [ 0, %4 ], [ %19, %18 ]
  %8 = phi ptr [ %0, %4 ], [ %21, %18 ]
  br i1 %5, label %9, label %18

9:                                                ; preds = %6
  %10 = getelementptr inbounds %struct.entry, ptr %8, i64 0, i32 2
  %11 = load i32, ptr %10, align 8, !tbaa !20
  %12 = getelementptr inbounds %struct.entry, ptr %8, i64 0, i32 1
  %13 = load i32, ptr %12, align 4, !tbaa !15
  %14 = mul nsw i32 %11, %13
  %15 = sdiv i32 %14, 100
  %16 = mul i32 %15, %1
  %17 = add i32 %7, %16
  br label %18

18:                                               ; preds = %9, %6
  %19 = phi i32 [ %7, %6 ], [ %17, %9 ]
  %20 = getelementptr inbounds %struct.entry, ptr %8, i64 0, i32 3
  %21 = load ptr, ptr %20, align 8, !tbaa !11
  %22 = icmp eq ptr %21, null
  br i1 %22, label %23, label %6, !llvm.loop !21

23:                                               ; preds = %18, %2
  %24 = phi i32 [ 0, %2 ], [ %19, %18 ]
  ret i32 %24
}

; Function Attrs: nounwind uwtable
define dso_local void @close_all(ptr noundef %0) local_unnamed_addr #3 {
  %2 = icmp eq ptr %0, null
  br i1 %2, label %38, label %3

3:                                                ; preds = %1, %33
  %4 = phi ptr [ %36, %33 ], [ %0, %1 ]
  %5 = load i32, ptr %4, align 8, !tbaa !5
  %6 = and i32 %5, 63
  %7 = getelementptr inbounds %struct.entry, ptr %4, i64 0, i32 1
  %8 = load i32, ptr %7, align 4, !tbaa !15
  %9 = zext i32 %6 to i64
  %10 = getelementptr inbounds [64 x i32], ptr @accounts, i64 0, i64 %9
  %11 = load i32, ptr %10, align 4, !tbaa !17
  %12 = add nsw i32 %11, %8
  store i32 %12, ptr %10, align 4, !tbaa !17
  %13 = load i32, ptr %7, align 4, !tbaa !15
  %14 = load i32, ptr @total, align 4, !tbaa !17
  %15 = add nsw i32 %14, %13
  store i32 %15, ptr @total, align 4, !tbaa !17
  %16 = icmp slt i32 %12, 0
  br i1 %16, label %17, label %18

17:                                               ; preds = %3
  tail call void @report(ptr noundef nonnull @.str, i32 noundef %12) #7
  br label %18

18:                                               ; preds = %3, %17
  %19 = load i32, ptr %7, align 4, !tbaa !15
  %20 = sdiv i32 %19, 100
  %21 = icmp ult i32 %20, 6
  br i1 %21, label %24, label %22

22:                                               ; preds = %24, %18
  %23 = and i32 %19, 15
  br label %33

24:                                               ; preds = %18
  %25 = trunc i32 %20 to i8
  %26 = lshr i8 39, %25
  %27 = and i8 %26, 1
  %28 = icmp eq i8 %27, 0
  br i1 %28, label %22, label %29

29:                                               ; preds = %24
  %30 = sext i32 %20 to i64
  %31 = getelementptr inbounds [6 x i32], ptr @switch.table.main, i64 0, i64 %30
  %32 = load i32, ptr %31, align 4
  br label %33

33:                                               ; preds = %29, %22
  %34 = phi i32 [ %23, %22 ], [ %32, %29 ]
  store i32 %34, ptr %7, align 4, !tbaa !15
  %35 = getelementptr inbounds %struct.entry, ptr %4, i64 0, i32 3
  %36 = load ptr, ptr %35, align 8, !tbaa !11
  %37 = icmp eq ptr %36, null
  br i1 %37, label %38, label %3, !llvm.loop !22

38:                                               ; preds = %33, %1
  ret void
}

; Function Attrs: nounwind uwtable
define dso_local i32 @main() local_unnamed_addr #3 {
  %1 = alloca %struct.entry, align 8
  %2 = alloca %struct.entry, align 8
  %3 = getelementptr inbounds %struct.entry, ptr %2, i64 0, i32 3
  %4 = getelementptr inbounds %struct.entry, ptr %2, i64 0, i32 1
  call void @llvm.lifetime.start.p0(i64 24, ptr nonnull %1) #7
  call void @llvm.memcpy.p0.p0.i64(ptr noundef nonnull align 8 dereferenceable(24) %1, ptr noundef nonnull align 8 dereferenceable(24) @__const.main.a, i64 24, i1 false)
  call void @llvm.lifetime.start.p0(i64 24, ptr nonnull %2) #7
  store i32 2, ptr %2, align 8, !tbaa !5
  store i32 -50, ptr %4, align 4, !tbaa !15
  %5 = getelementptr inbounds %struct.entry, ptr %2, i64 0, i32 2
  store i32 3, ptr %5, align 8, !tbaa !20
  store ptr %1, ptr %3, align 8, !tbaa !11
  br label %6

6:                                                ; preds = %36, %0
  %7 = phi ptr [ %39, %36 ], [ %2, %0 ]
  %8 = phi ptr [ %40, %36 ], [ %4, %0 ]
  %9 = load i32, ptr %7, align 8, !tbaa !5
  %10 = and i32 %9, 63
  %11 = load i32, ptr %8, align 4, !tbaa !15
  %12 = zext i32 %10 to i64
  %13 = getelementptr inbounds [64 x i32], ptr @accounts, i64 0, i64 %12
  %14 = load i32, ptr %13, align 4, !tbaa !17
  %15 = add nsw i32 %14, %11
  store i32 %15, ptr %13, align 4, !tbaa !17
  %16 = load i32, ptr %8, align 4, !tbaa !15
  %17 = load i32, ptr @total, align 4, !tbaa !17
  %18 = add nsw i32 %17, %16
  store i32 %18, ptr @total, align 4, !tbaa !17
  %19 = icmp slt i32 %15, 0
  br i1 %19, label %20, label %21

20:                                               ; preds = %6
  call void @report(ptr noundef nonnull @.str, i32 noundef %15) #7
  br label %21

21:                                               ; preds = %20, %6
  %22 = load i32, ptr %8, align 4, !tbaa !15
  %23 = sdiv i32 %22, 100
  %24 = icmp ult i32 %23, 6
  br i1 %24, label %27, label %25

25:                                               ; preds = %27, %21
  %26 = and i32 %22, 15
  br label %36

27:                                               ; preds = %21
  %28 = trunc i32 %23 to i8
  %29 = lshr i8 39, %28
  %30 = and i8 %29, 1
  %31 = icmp eq i8 %30, 0
  br i1 %31, label %25, label %32

32:                                               ; preds = %27
  %33 = sext i32 %23 to i64
  %34 = getelementptr inbounds [6 x i32], ptr @switch.table.main, i64 0, i64 %33
  %35 = load i32, ptr %34, align 4
  br label %36

36:                                               ; preds = %32, %25
  %37 = phi i32 [ %26, %25 ], [ %35, %32 ]
  store i32 %37, ptr %8, align 4, !tbaa !15
  %38 = getelementptr inbounds %struct.entry, ptr %7, i64 0, i32 3
  %39 = load ptr, ptr %38, align 8, !tbaa !11
  %40 = getelementptr inbounds %struct.entry, ptr %39, i64 0, i32 1
  %41 = icmp eq ptr %39, null
  br i1 %41, label %42, label %6, !llvm.loop !22

42:                                               ; preds = %36
  %43 = load i32, ptr @total, align 4, !tbaa !17
  call void @report(ptr noundef nonnull @.str.2, i32 noundef %43) #7
  br label %44

44:                                               ; preds = %44, %42
  %45 = phi i32 [ %51, %44 ], [ 0, %42 ]
  %46 = phi i32 [ %49, %44 ], [ 0, %42 ]
  %47 = phi ptr [ %54, %44 ], [ %4, %42 ]
  %48 = phi ptr [ %53, %44 ], [ %3, %42 ]
  %49 = add nuw nsw i32 %46, 1
  %50 = load i32, ptr %47, align 4, !tbaa !15
  %51 = add nsw i32 %50, %45
  %52 = load ptr, ptr %48, align 8, !tbaa !11
  %53 = getelementptr inbounds %struct.entry, ptr %52, i64 0, i32 3
  %54 = getelementptr inbounds %struct.entry, ptr %52, i64 0, i32 1
  %55 = icmp eq ptr %52, null
  br i1 %55, label %56, label %44, !llvm.loop !19

56:                                               ; preds = %44
  %57 = icmp sgt i32 %51, 1000000
  br i1 %57, label %58, label %59

58:                                               ; preds = %56
  call void @report(ptr noundef nonnull @.str.1, i32 noundef %51) #7
  br label %59

59:                                               ; preds = %56, %58
  %60 = sdiv i32 %51, %49
  call void @report(ptr noundef nonnull @.str.3, i32 noundef %60) #7
  br label %61

61:                                               ; preds = %61, %59
  %62 = phi i32 [ %63, %61 ], [ 12, %59 ]
  %63 = phi i32 [ %64, %61 ], [ 18, %59 ]
  %64 = urem i32 %62, %63
  %65 = icmp eq i32 %64, 0
  br i1 %65, label %66, label %61, !llvm.loop !18

66:                                               ; preds = %61
  %67 = icmp sgt i32 %63, 0
  br label %68

68:                                               ; preds = %80, %66
  %69 = phi i32 [ 0, %66 ], [ %81, %80 ]
  %70 = phi ptr [ %2, %66 ], [ %83, %80 ]
  br i1 %67, label %71, label %80

71:                                               ; preds = %68
  %72 = getelementptr inbounds %struct.entry, ptr %70, i64 0, i32 2
  %73 = load i32, ptr %72, align 8, !tbaa !20
  %74 = getelementptr inbounds %struct.entry, ptr %70, i64 0, i32 1
  %75 = load i32, ptr %74, align 4, !tbaa !15
  %76 = mul nsw i32 %75, %73
  %77 = sdiv i32 %76, 100
  %78 = mul i32 %77, %63
  %79 = add i32 %78, %69
  br label %80

80:                                               ; preds = %71, %68
  %81 = phi i32 [ %69, %68 ], [ %79, %71 ]
  %82 = getelementptr inbounds %struct.entry, ptr %70, i64 0, i32 3
  %83 = load ptr, ptr %82, align 8, !tbaa !11
  %84 = icmp eq ptr %83, null
  br i1 %84, label %85, label %68, !llvm.loop !21

85:                                               ; preds = %80
  call void @report(ptr noundef nonnull @.str.4, i32 noundef %81) #7
  br label %86

86:                                               ; preds = %90, %85
  %87 = phi ptr [ %92, %90 ], [ %2, %85 ]
  %88 = load i32, ptr %87, align 8, !tbaa !5
  %89 = icmp eq i32 %88, 1
  br i1 %89, label %94, label %90

90:                                               ; preds = %86
  %91 = getelementptr inbounds %struct.entry, ptr %87, i64 0, i32 3
  %92 = load ptr, ptr %91, align 8, !tbaa !11
  %93 = icmp eq ptr %92, null
  br i1 %93, label %94, label %86, !llvm.loop !12

94:                                               ; preds = %86, %90
  %95 = phi ptr [ %87, %86 ], [ null, %90 ]
  %96 = icmp eq ptr %95, null
  br i1 %96, label %111, label %97

97:                                               ; preds = %94, %106
  %98 = phi i32 [ %107, %106 ], [ 0, %94 ]
  %99 = phi ptr [ %109, %106 ], [ %95, %94 ]
  %100 = load i32, ptr %99, align 8, !tbaa !5
  %101 = icmp eq i32 %100, 1
  br i1 %101, label %102, label %106

102:                                              ; preds = %97
  %103 = getelementptr inbounds %struct.entry, ptr %99, i64 0, i32 1
  %104 = load i32, ptr %103, align 4, !tbaa !15
  %105 = add nsw i32 %104, %98
  br label %106

106:                                              ; preds = %102, %97
  %107 = phi i32 [ %105, %102 ], [ %98, %97 ]
  %108 = getelementptr inbounds %struct.entry, ptr %99, i64 0, i32 3
  %109 = load ptr, ptr %108, align 8, !tbaa !11
  %110 = icmp eq ptr %109, null
  br i1 %110, label %111, label %97, !llvm.loop !16

111:                                              ; preds = %106, %94
  %112 = phi i32 [ 0, %94 ], [ %107, %106 ]
  call void @llvm.lifetime.end.p0(i64 24, ptr nonnull %2) #7
  call void @llvm.lifetime.end.p0(i64 24, ptr nonnull %1) #7
  ret i32 %112
}

; Function Attrs: mustprogress nocallback nofree nounwind willreturn memory(argmem: readwrite)
declare void @llvm.memcpy.p0.p0.i64(ptr noalias nocapture writeonly, ptr noalias nocapture readonly, i64, i1 immarg) #6

attributes #0 = { nofree norecurse nosync nounwind memory(read, inaccessiblemem: none) uwtable "min-legal-vector-width"="0" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #1 = { mustprogress nocallback nofree nosync nounwind willreturn memory(argmem: readwrite) }
attributes #2 = { mustprogress nofree norecurse nosync nounwind willreturn memory(none) uwtable "min-legal-vector-width"="0" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #3 = { nounwind uwtable "min-legal-vector-width"="0" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #4 = { "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #5 = { nofree norecurse nosync nounwind memory(none) uwtable "min-legal-vector-width"="0" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #6 = { mustprogress nocallback nofree nounwind willreturn memory(argmem: readwrite) }
attributes #7 = { nounwind }

!llvm.module.flags = !{!0, !1, !2, !3}

!0 = !{i32 1, !"wchar_size", i32 4}
!1 = !{i32 8, !"PIC Level", i32 2}
!2 = !{i32 7, !"PIE Level", i32 2}
!3 = !{i32 7, !"uwtable", i32 2}
!5 = !{!6, !7, i64 0}
!6 = !{!"entry", !7, i64 0, !7, i64 4, !7, i64 8, !10, i64 16}
!7 = !{!"int", !8, i64 0}
!8 = !{!"omnipotent char", !9, i64 0}
!9 = !{!"Simple C/C++ TBAA"}
!10 = !{!"any pointer", !8, i64 0}
!11 = !{!6, !10, i64 16}
!12 = distinct !{!12, !13, !14}
!13 = !{!"llvm.loop.mustprogress"}
!14 = !{!"llvm.loop.unroll.disable"}
!15 = !{!6, !7, i64 4}
!16 = distinct !{!16, !13, !14}
!17 = !{!7, !7, i64 0}
!18 = distinct !{!18, !13, !14}
!19 = distinct !{!19, !13, !14}
!20 = !{!6, !7, i64 8}
!21 = distinct !{!21, !13, !14}
!22 = distinct !{!22, !13, !14}
