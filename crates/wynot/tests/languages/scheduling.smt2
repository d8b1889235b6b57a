; Three jobs on two machines; find a plan that ends in time.
(set-logic ALL)
(set-info :status sat)

(declare-sort Machine 0)
(declare-const left Machine)
(declare-const right Machine)
(declare-fun on (Int) Machine)

(declare-const start1 Int)
(declare-const start2 Int)
(declare-const start3 Int)
(declare-const deadline Int)
(declare-const late Bool)

(define-fun length ((job Int)) Int
  (ite (= job 1) 3
    (ite (= job 2) 4 2)))

(define-fun before ((a Int) (b Int) (job Int)) Bool
  (<= (+ a (length job)) b))

(define-fun apart ((a Int) (b Int) (i Int) (j Int)) Bool
  (or (before a b i)
      (before b a j)))

(assert (distinct left right))
(assert (forall ((job Int))
  (=> (and (<= 1 job) (<= job 3))
      (or (= (on job) left) (= (on job) right)))))

(assert (and (>= start1 0) (>= start2 0) (>= start3 0)))
(assert (= deadline 7))

(assert (=> (= (on 1) (on 2)) (apart start1 start2 1 2)))
(assert (=> (= (on 1) (on 3)) (apart start1 start3 1 3)))
(assert (=> (= (on 2) (on 3)) (apart start2 start3 2 3)))

; The second job needs what the first one makes.
(assert (before start1 start2 1))

(push 1)
(assert (let ((end1 (+ start1 (length 1)))
              (end2 (+ start2 (length 2))))
  (and (<= end1 deadline)
       (let ((late (ite (> end2 deadline) (- end2 deadline) 0))
             (idle (- start2 end1)))
         (and (< (+ late idle) 3)
              (exists ((gap Int)) (and (> gap late) (<= (* 2 gap) deadline))))))))
(assert (not late))
(check-sat)
(get-value (start1 start2 start3))
(pop 1)

(assert (! (< (+ start1 start2 start3) 12) :named early))
(check-sat)
(exit)
