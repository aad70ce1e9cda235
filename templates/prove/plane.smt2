; The hamiltonian cycles of a torus of m rows and n columns, {{ sides }}: cycle {{ cycle }}.
;
; A place is (s, b, o): phase s, block b of the phase, offset o in the block. The next place is the next offset, the first
; of the next block, or the first of the next phase that has a block; after the last comes the first. So the places make
; one cycle. What is to be shown: that neighbours on it are neighbours in the torus, that it passes every node once, and
; that its links are those that the rule gives to this cycle; every link has one label, so that the cycles are disjoint.
(set-logic QF_NIA)
(declare-const k Int)
(declare-const h Int)
(define-fun m () Int {{ rows }})
(define-fun n () Int {{ columns }})
{%- for size in sizes %}
(assert {{ size }})
{%- endfor %}

; Every column is cycle 0's and every row cycle 1's, but in the squares that are switched they trade their links. A square
; is named by its smallest corner.
(define-fun odd ((x Int)) Bool (= (mod x 2) 1))
(define-fun row ((i Int)) Int (ite (< i 0) (+ i m) (ite (>= i m) (- i m) i)))
(define-fun column ((j Int)) Int (ite (< j 0) (+ j n) (ite (>= j n) (- j n) j)))
(define-fun switched ((i Int) (j Int)) Bool {{ switched }})
; the labels of the links from (i, j) to (i, j + 1) and to (i + 1, j)
(define-fun along-row ((i Int) (j Int)) Int (ite (or (switched i j) (switched (row (- i 1)) j)) 0 1))
(define-fun along-column ((i Int) (j Int)) Int (ite (or (switched i j) (switched i (column (- j 1)))) 1 0))

; the places: how many blocks a phase has, how long each is, and which node is where
(define-fun blocks ((s Int)) Int {{ blocks }})
(define-fun length ((s Int)) Int {{ length }})
(define-fun is-place ((s Int) (b Int) (o Int)) Bool
  (and (>= s 0) (< s {{ phases }}) (>= b 0) (< b (blocks s)) (>= o 0) (< o (length s))))
(define-fun row-of ((s Int) (b Int) (o Int)) Int {{ row_of }})
(define-fun column-of ((s Int) (b Int) (o Int)) Int {{ column_of }})

; a place, its node, and the next place with its node
(declare-const s Int)
(declare-const b Int)
(declare-const o Int)
(define-fun block-ends () Bool (= (+ o 1) (length s)))
(define-fun phase-ends () Bool (and block-ends (= (+ b 1) (blocks s))))
(define-fun next-o () Int (ite block-ends 0 (+ o 1)))
(define-fun next-b () Int (ite phase-ends 0 (ite block-ends (+ b 1) b)))
(define-fun next-s () Int (ite phase-ends {{ next_phase }} s))
(define-fun i () Int (row-of s b o))
(define-fun j () Int (column-of s b o))
(define-fun next-i () Int (row-of next-s next-b next-o))
(define-fun next-j () Int (column-of next-s next-b next-o))

;; step: the next place is a neighbour, and the link between them has the label of this cycle
(assert (is-place s b o))
(assert (not (and (is-place next-s next-b next-o) (or (and (= next-i i) (= next-j (column (+ j 1))) (= (along-row i j) {{ cycle }})) (and (= next-i i) (= j (column (+ next-j 1))) (= (along-row i next-j) {{ cycle }})) (and (= next-j j) (= next-i (row (+ i 1))) (= (along-column i j) {{ cycle }})) (and (= next-j j) (= i (row (+ next-i 1))) (= (along-column next-i j) {{ cycle }}))))))

;; range: every place is at a node of the torus
(assert (is-place s b o))
(assert (not (and (>= i 0) (< i m) (>= j 0) (< j n))))

;; injective: no two places are at one node
(declare-const s2 Int)
(declare-const b2 Int)
(declare-const o2 Int)
(assert (is-place s b o))
(assert (is-place s2 b2 o2))
(assert (not (=> (and (= i (row-of s2 b2 o2)) (= j (column-of s2 b2 o2))) (and (= s s2) (= b b2) (= o o2)))))

;; count: there are as many places as nodes
(assert (not (= {{ count }} (* m n))))
