; The zigzag cycles of section 4.1 on a torus of sides m, even, and n, both at least 2.
;
; A place of cycle q is (b, o): lap b < m/2, offset o < n + 2. A lap starts at x1 = q + 2b, goes one node along x1 in the rows
; x2 = 0 and x2 = 1, and straight on along x2 through the other rows. The next place is the next offset, or the first of the
; next lap; after the last comes the first. So the places make one cycle.
(set-logic QF_NIA)
(declare-const k Int)
(declare-const n Int)
(define-fun m () Int (* 2 k))
(assert (>= k 1))
(assert (>= n 2))
(define-fun odd ((x Int)) Bool (= (mod x 2) 1))
(define-fun round ((x Int)) Int (ite (>= x m) (- x m) x))

(define-fun is-place ((q Int) (b Int) (o Int)) Bool (and (>= q 0) (<= q 1) (>= b 0) (< b k) (>= o 0) (< o (+ n 2))))
(define-fun x1-of ((q Int) (b Int) (o Int)) Int (round (+ q (* 2 b) (ite (= o 0) 0 (ite (<= o 2) 1 2)))))
(define-fun x2-of ((o Int)) Int (ite (<= o 1) 0 (ite (<= o 2) 1 (- o 2))))
; whether the cycle goes on along x1, else along x2
(define-fun goes-across ((o Int)) Bool (or (= o 0) (= o 2)))
; where on cycle q a node is that lies on it
(define-fun ahead ((q Int) (x1 Int)) Int (ite (< (- x1 q) 0) (+ (- x1 q) m) (- x1 q)))
(define-fun lap-of ((q Int) (x1 Int) (x2 Int)) Int
  (ite (or (= x2 0) (and (= x2 1) (odd (ahead q x1)))) (div (ahead q x1) 2)
  (ite (= (ahead q x1) 0) (- k 1) (- (div (ahead q x1) 2) 1))))
(define-fun offset-of ((q Int) (x1 Int) (x2 Int)) Int
  (ite (= x2 0) (ite (odd (ahead q x1)) 1 0) (ite (= x2 1) (ite (odd (ahead q x1)) 2 3) (+ x2 2))))

; a place and the next one
(declare-const q Int)
(declare-const b Int)
(declare-const o Int)
(define-fun lap-ends () Bool (= (+ o 1) (+ n 2)))
(define-fun next-o () Int (ite lap-ends 0 (+ o 1)))
(define-fun next-b () Int (ite lap-ends (ite (= (+ b 1) k) 0 (+ b 1)) b))
(define-fun x1 () Int (x1-of q b o))
(define-fun x2 () Int (x2-of o))
(define-fun next-x1 () Int (x1-of q next-b next-o))
(define-fun next-x2 () Int (x2-of next-o))
; a node
(declare-const y1 Int)
(declare-const y2 Int)
(define-fun is-node () Bool (and (>= y1 0) (< y1 m) (>= y2 0) (< y2 n)))

;; range: every place is at a node of the torus
(assert (is-place q b o))
(assert (not (and (>= x1 0) (< x1 m) (>= x2 0) (< x2 n))))

;; step: the next place is the neighbour ahead, along x1 or along x2
(assert (is-place q b o))
(assert (not (and (is-place q next-b next-o) (ite (goes-across o) (and (= next-x2 x2) (= next-x1 (round (+ x1 1)))) (and (= next-x1 x1) (= next-x2 (ite (= (+ x2 1) n) 0 (+ x2 1))))))))

;; injective: no two places of a cycle are at one node
(declare-const c Int)
(declare-const p Int)
(assert (is-place q b o))
(assert (is-place q c p))
(assert (not (=> (and (= x1 (x1-of q c p)) (= x2 (x2-of p))) (and (= b c) (= o p)))))

;; reach: both cycles pass every node of rows 0 and 1, and cycle q the nodes with x1 = q mod 2 of the other rows
(assert is-node)
(assert (and (>= q 0) (<= q 1)))
(assert (or (<= y2 1) (= (odd y1) (= q 1))))
(assert (not (and (is-place q (lap-of q y1 y2) (offset-of q y1 y2)) (= y1 (x1-of q (lap-of q y1 y2) (offset-of q y1 y2))) (= y2 (x2-of (offset-of q y1 y2))))))

;; one-cycle-below: in the other rows cycle q passes no node but those with x1 = q mod 2
(assert (is-place q b o))
(assert (>= x2 2))
(assert (not (= (odd x1) (= q 1))))

;; rule: in rows 0 and 1 what comes in along x2 goes out along x1 and the other way round; below all goes straight
(assert (is-place q b o))
(assert (is-place q next-b next-o))
(assert (not (= (goes-across next-o) (and (<= next-x2 1) (not (goes-across o))))))

;; disjoint: where both cycles pass a node, one goes out along x1 and the other along x2
(declare-const c Int)
(declare-const p Int)
(assert (is-place 0 b o))
(assert (is-place 1 c p))
(assert (= (x1-of 0 b o) (x1-of 1 c p)))
(assert (= (x2-of o) (x2-of p)))
(assert (not (not (= (goes-across o) (goes-across p)))))

;; supply-distance: the two neighbours that supply a node off cycle q are one lap of n + 2 places apart on it
(define-fun before () Int (ite (= y1 0) (- m 1) (- y1 1)))
(define-fun behind () Int (round (+ y1 1)))
(assert is-node)
(assert (>= y2 2))
(assert (and (>= q 0) (<= q 1)))
(assert (not (= (odd y1) (= q 1))))
(assert (not (and (is-place q (lap-of q before y2) (offset-of q before y2)) (is-place q (lap-of q behind y2) (offset-of q behind y2)) (= (offset-of q before y2) (offset-of q behind y2)) (= (lap-of q behind y2) (ite (= (+ 1 (lap-of q before y2)) k) 0 (+ 1 (lap-of q before y2)))))))

;; supply-links-free: no cycle uses a link along x1 below row 1, so that supply has it
(assert (is-place q b o))
(assert (>= x2 2))
(assert (not (not (goes-across o))))
