; Accounts, and what happens to them in a year.

(define (compose f g)
  (lambda (x) (f (g x))))

(define (fold f start items)
  (if (null? items)
      start
      (fold f (f start (car items)) (cdr items))))

(define (map f items)
  (if (null? items)
      '()
      (cons (f (car items)) (map f (cdr items)))))

(define (filter keep items)
  (cond ((null? items) '())
        ((keep (car items)) (cons (car items) (filter keep (cdr items))))
        (else (filter keep (cdr items)))))

(define (account owner balance)
  (list owner balance))

(define (owner account) (car account))
(define (balance account) (car (cdr account)))

(define (deposit sum)
  (lambda (old) (account (owner old) (+ (balance old) sum))))

(define (interest rate)
  (lambda (old)
    (let ((more (* (balance old) rate)))
      ((deposit (quotient more 100)) old))))

(define (fee limit sum)
  (lambda (old)
    (if (< (balance old) limit)
        ((deposit (- 0 sum)) old)
        old)))

(define year (compose (interest 3) (fee 100 5)))

(define accounts
  (list (account 'ada 1000)
        (account 'brian 50)
        (account 'chris 300)))

(define (total accounts)
  (fold (lambda (sum next) (+ sum (balance next))) 0 accounts))

(define (rich limit)
  (filter (lambda (one) (< limit (balance one))) accounts))

(define (report accounts)
  (let ((names (map owner accounts))
        (sum (total accounts)))
    (display (list 'together sum))
    (display names)))

(report accounts)
(let ((later (map year accounts)))
  (report later)
  (display (map owner (rich 100)))
  (display (fold (lambda (best) (if (< 500 (balance best)) best 'nobody))
                 (car later)
                 later)))
