; The staircase cycles of a torus of m rows and n columns, both even and at least 4.
;
; A place of cycle q is (b, o): block b < m/2, offset o < 2n. A block climbs from row q + 2b over the columns, two places a
; column, to the last one, and comes back to column 0 by a row lower two rows on. The next place is the next offset, or the
; first of the next block; after the last comes the first. So the places make one cycle.
(set-logic QF_NIA)
(declare-const k Int)
(declare-const h Int)
(define-fun m () Int (* 2 k))
(define-fun n () Int (* 2 h))
(assert (>= k 2))
(assert (>= h 2))
(define-fun odd ((x Int)) Bool (= (mod x 2) 1))
(define-fun row ((i Int)) Int (ite (< i 0) (+ i m) (ite (>= i m) (- i m) i)))
(define-fun column ((j Int)) Int (ite (< j 0) (+ j n) (ite (>= j n) (- j n) j)))

(define-fun is-place ((b Int) (o Int)) Bool (and (>= b 0) (< b k) (>= o 0) (< o (* 2 n))))
; whether offset o is in column j the place of the row above
(define-fun is-above ((j Int) (o Int)) Bool (ite (odd j) (= o (* 2 j)) (= o (- (* 2 j) 1))))
(define-fun climb ((o Int)) Int
  (ite (= o 0) 0
  (ite (<= o (- (* 2 n) 4)) (ite (is-above (div (+ o 1) 2) o) (- 1) 0)
  (ite (= o (- (* 2 n) 3)) 0 1))))
(define-fun row-of ((q Int) (b Int) (o Int)) Int (row (+ q (* 2 b) (climb o))))
(define-fun column-of ((b Int) (o Int)) Int
  (ite (= o 0) 0 (ite (<= o (- (* 2 n) 4)) (div (+ o 1) 2) (ite (<= o (- (* 2 n) 2)) (- n 1) 0))))
(define-fun block-after ((b Int) (o Int)) Int (ite (= (+ o 1) (* 2 n)) (ite (= (+ b 1) k) 0 (+ b 1)) b))
(define-fun offset-after ((o Int)) Int (ite (= (+ o 1) (* 2 n)) 0 (+ o 1)))

; ports are 0: T, 1: B, 2: L, 3: R; 9 is none
(define-fun port-to ((i Int) (j Int) (i2 Int) (j2 Int)) Int
  (ite (and (= j j2) (= i2 (row (- i 1)))) 0
  (ite (and (= j j2) (= i2 (row (+ i 1)))) 1
  (ite (and (= i i2) (= j2 (column (- j 1)))) 2
  (ite (and (= i i2) (= j2 (column (+ j 1)))) 3 9)))))
(define-fun opposite ((p Int)) Int (ite (= p 0) 1 (ite (= p 1) 0 (ite (= p 2) 3 2))))
; the rule of the paper: T <-> L and B <-> R in odd columns but the last, T <-> R and B <-> L in the others
(define-fun falls ((j Int)) Bool (and (odd j) (< j (- n 1))))
(define-fun partner ((j Int) (p Int)) Int
  (ite (falls j)
    (ite (= p 0) 2 (ite (= p 2) 0 (ite (= p 1) 3 1)))
    (ite (= p 0) 3 (ite (= p 3) 0 (ite (= p 1) 2 1)))))

; a place of cycle q and the two after it
(declare-const q Int)
(declare-const b Int)
(declare-const o Int)
(define-fun b1 () Int (block-after b o))
(define-fun o1 () Int (offset-after o))
(define-fun b2 () Int (block-after b1 o1))
(define-fun o2 () Int (offset-after o1))
(define-fun out () Int (port-to (row-of q b o) (column-of b o) (row-of q b1 o1) (column-of b1 o1)))
(define-fun out1 () Int (port-to (row-of q b1 o1) (column-of b1 o1) (row-of q b2 o2) (column-of b2 o2)))
(assert (or (= q 0) (= q 1)))
(assert (is-place b o))

;; range: every place is at a node of the torus
(assert (not (and (>= (row-of q b o) 0) (< (row-of q b o) m) (>= (column-of b o) 0) (< (column-of b o) n))))

;; count: there are as many places as nodes
(assert (not (= (* k (* 2 n)) (* m n))))

;; injective: no two places are at one node
(declare-const c Int)
(declare-const p Int)
(assert (is-place c p))
(assert (not (=> (and (= (row-of q b o) (row-of q c p)) (= (column-of b o) (column-of c p))) (and (= b c) (= o p)))))

;; step: the next place is a neighbour, and there the crossbar joins the port of entry with the port of exit
(assert (not (and (<= out 3) (<= out1 3) (= (partner (column-of b1 o1) (opposite out)) out1))))

;; disjoint: no link of cycle 0 is one of cycle 1
(declare-const c Int)
(declare-const p Int)
(define-fun c1 () Int (block-after c p))
(define-fun p1 () Int (offset-after p))
(assert (= q 0))
(assert (is-place c p))
(assert (not (not (or (and (= (row-of 0 b o) (row-of 1 c p)) (= (column-of b o) (column-of c p)) (= (row-of 0 b1 o1) (row-of 1 c1 p1)) (= (column-of b1 o1) (column-of c1 p1))) (and (= (row-of 0 b o) (row-of 1 c1 p1)) (= (column-of b o) (column-of c1 p1)) (= (row-of 0 b1 o1) (row-of 1 c p)) (= (column-of b1 o1) (column-of c p)))))))
