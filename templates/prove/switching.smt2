; A node off a cycle of L places, supplied by two of its nodes: A, and B upstream by D places, of which both ways round the
; shorter is D, so that 2 D <= L. Places are counted from A; in tick t A gives what stood at place -t, and B first what stood at
; D - t, until it has given its own D, then what comes the other way. H is half of L, rounded up.
(set-logic QF_NIA)
(declare-const L Int)
(declare-const D Int)
(declare-const H Int)
(assert (>= D 1))
(assert (<= (* 2 D) L))
(assert (or (= L (* 2 H)) (= L (- (* 2 H) 1))))
(define-fun back ((place Int) (ticks Int)) Int (ite (< (- place ticks) 0) (+ (- place ticks) L) (- place ticks)))
(define-fun on ((place Int) (ticks Int)) Int (ite (>= (+ place ticks) L) (- (+ place ticks) L) (+ place ticks)))
(define-fun from-a ((t Int)) Int (back 0 t))
(define-fun from-b ((t Int)) Int (ite (< t D) (back D t) (on D (- t (- D 1)))))

;; complete: what stood at any place has been given by tick H
(declare-const z Int)
(define-fun a-tick () Int (ite (= z 0) 0 (- L z)))
(define-fun b-tick () Int (ite (<= z D) (- D z) (- z 1)))
(assert (and (>= z 0) (< z L)))
(assert (not (or (and (< a-tick H) (= (from-a a-tick) z)) (and (>= b-tick 0) (< b-tick H) (= (from-b b-tick) z)))))

;; no-double: on a cycle of even length nothing is given twice
(declare-const t Int)
(declare-const u Int)
(assert (= L (* 2 H)))
(assert (and (>= t 0) (< t H) (>= u 0) (< u H)))
(assert (not (not (or (= (from-a t) (from-b u)) (and (not (= t u)) (or (= (from-a t) (from-a u)) (= (from-b t) (from-b u))))))))

;; on-the-cycle: two nodes of a cycle are at most half of it apart, the one way or the other
(declare-const x Int)
(declare-const y Int)
(define-fun one-way () Int (ite (>= x y) (- x y) (+ (- x y) L)))
(define-fun other-way () Int (ite (>= y x) (- y x) (+ (- y x) L)))
(assert (and (>= x 0) (< x L) (>= y 0) (< y L) (not (= x y))))
(assert (not (and (>= one-way 1) (>= other-way 1) (= (+ one-way other-way) L) (or (<= (* 2 one-way) L) (<= (* 2 other-way) L)))))
