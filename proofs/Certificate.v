(** * Certificates: no correct reordering brings a pair together

    A certificate refutes that a pair of accesses is predictable.  It is a tree.  A path through it collects facts that would
    hold in every reordering [p] after which both accesses come next: which events [p] has executed, a prefix of each thread, and which
    event comes before which.  The pair follows all of [p], as one node.
    - [edge]: the rules by which one event comes before another one that is executed: its thread's order, hard edges, what it
      reads and the life in which it accesses, and what the path has assumed;
    - [Follow]: the source of an edge is executed as well;
    - [Rivals]: of two sections on one lock, one ends before the other begins;
    - [Writers]: of an event that writes what a reader sees, and is not the writer that the reader sees, either the reader comes
      first, or the event comes before that writer; and the same for the allocations and lives of a variable;
    - [Cycle]: an event that would come before itself closes a branch.

    [check_certificate] follows the tree.  [CertificateSound.v] proves that an accepted certificate is true.

    The checker looks up rows and ends of sections, which are found in one pass over the trace; its time is that of the
    certificate, with a factor for the depth of assumptions.  C++ twin: [vindicate/certificate.hpp], which only writes them. *)

From Coq Require Import List Arith Bool PArith Lia FMapPositive.
Import ListNotations.
From Omen Require Import Reordering EventModel CorrectReordering EventRules WitnessRows WitnessChecker SectionEnds.

(** ** Certificates *)

Inductive rule := ByThread | ByHardEdge | BySource | ByAssumption | BeforePair.

(** The first event comes before the second. *)
Record hop := Hop { hop_rule : rule; hop_from : nat; hop_to : nat }.

Inductive certificate :=
| Cycle (hops : list hop)
| Impossible  (* in place of a branch whose assumption no reordering fulfils: a section that never ends *)
| Follow (h : hop) (rest : certificate)
| Rivals (a b : nat) (first_is_first second_is_first : certificate)
| Writers (reader writer : nat) (reader_first writer_first : certificate).

(** ** The checker *)

Record facts := Facts { known : PM.t nat; assumed : list (nat * nat) }.

Section Checker.

(** The rows of a trace, the ends of its sections, and the pair. *)
Context (rs : PM.t row) (table : PM.t (option nat)) (i j : nat).

Definition in_pair (n : nat) : bool := Nat.eqb n i || Nat.eqb n j.

(** Executed in every reordering of this branch. *)
Definition is_known (s : facts) (r : row) : bool := Nat.ltb (row_position r) (count_in (thread (row_event r)) (known s)).

Definition place_eqb (p q : place) : bool := Pos.eqb (fst p) (fst q) && Nat.eqb (snd p) (snd q).
Definition place_of_row (r : row) : place := (thread (row_event r), row_position r).

Definition edge (s : facts) (h : hop) : bool :=
  match PM.find (key (hop_from h)) rs, PM.find (key (hop_to h)) rs with
  | Some a, Some b =>
      let reached := in_pair (hop_to h) || is_known s b in
      match hop_rule h with
      | ByThread =>
          reached && Pos.eqb (thread (row_event a)) (thread (row_event b)) && Nat.ltb (row_position a) (row_position b)
      | ByHardEdge => reached && existsb (place_eqb (place_of_row a)) (row_needs b)
      | BySource =>
          reached && (same (snd (row_sees b)) (Some (hop_from h)) ||
                      (negb (in_pair (hop_to h)) && same (fst (row_sees b)) (Some (hop_from h))))
      | ByAssumption => existsb (fun p => Nat.eqb (fst p) (hop_from h) && Nat.eqb (snd p) (hop_to h)) (assumed s)
      | BeforePair => in_pair (hop_to h) && is_known s a
      end
  | _, _ => false
  end.

(** The two accesses are one node. *)
Definition same_node (a b : nat) : bool := Nat.eqb a b || (in_pair a && in_pair b).

(** Edge by edge from [n], and back to [start]. *)
Fixpoint leads_back (s : facts) (start n : nat) (hops : list hop) : bool :=
  match hops with
  | [] => same_node n start
  | h :: rest => same_node n (hop_from h) && edge s h && leads_back s start (hop_to h) rest
  end.

Definition is_cycle (s : facts) (hops : list hop) : bool :=
  match hops with
  | [] => false
  | h :: rest => edge s h && leads_back s (hop_from h) (hop_to h) rest
  end.

(** Event [n] with this row is executed, and so are the earlier events of its thread. *)
Definition learn (s : facts) (r : row) : facts :=
  let t := thread (row_event r) in
  if is_known s r then s else Facts (PM.add t (S (row_position r)) (known s)) (assumed s).

Definition assume (s : facts) (a b : nat) (ra : row) : facts :=
  let s' := learn s ra in Facts (known s') ((a, b) :: assumed s').

(** The event that [w] must not come after, if [w] comes before [r]: the writer that [r] sees.  [None]: [w] and [r] are
    unrelated.  A racing access may read another value, but in its own life. *)
Definition guarded (racing : bool) (r w : row) : option (option nat) :=
  match accessed (action (row_event r)), action (row_event w) with
  | Some x, Alloc y => if Pos.eqb x y then Some (snd (row_sees r)) else None
  | _, _ =>
      match action (row_event r), action (row_event w) with
      | Read x, (Write y | Free y) =>
          if Pos.eqb x y && negb racing then
            Some (match fst (row_sees r) with Some n => Some n | None => snd (row_sees r) end)
          else None
      | (Load _ x | Rmw _ x), (Store _ y | Rmw _ y) => if Pos.eqb x y then Some (fst (row_sees r)) else None
      | _, _ => None
      end
  end.

Fixpoint refutes (s : facts) (c : certificate) : bool :=
  match c with
  | Impossible => false
  | Cycle hops => is_cycle s hops
  | Follow h rest =>
      edge s h && match PM.find (key (hop_from h)) rs with Some r => refutes (learn s r) rest | None => false end
  | Rivals a b first second =>
      match PM.find (key a) rs, PM.find (key b) rs with
      | Some ra, Some rb =>
          match takes (action (row_event ra)), takes (action (row_event rb)), end_in table a, end_in table b with
          | Some (m, mode), Some (m', mode'), Some end_a, Some end_b =>
              Pos.eqb m m' && negb (mode && mode') && negb (Pos.eqb (thread (row_event ra)) (thread (row_event rb))) &&
              is_known s ra && is_known s rb &&
              match end_a with
              | Some e =>
                  match PM.find (key e) rs with Some re => refutes (assume s e b re) first | None => false end
              | None => match first with Impossible => true | _ => false end
              end &&
              match end_b with
              | Some e =>
                  match PM.find (key e) rs with Some re => refutes (assume s e a re) second | None => false end
              | None => match second with Impossible => true | _ => false end
              end
          | _, _, _, _ => false
          end
      | _, _ => false
      end
  | Writers r w first second =>
      match PM.find (key r) rs, PM.find (key w) rs with
      | Some rr, Some rw =>
          match guarded (in_pair r) rr rw with
          | Some sees =>
              (in_pair r || is_known s rr) && is_known s rw && negb (Nat.eqb r w) && negb (same sees (Some w)) &&
              (if in_pair r then match first with Impossible => true | _ => false end
               else refutes (assume s r w rr) first) &&
              match sees with
              | Some n => refutes (assume s w n rw) second
              | None => match second with Impossible => true | _ => false end
              end
          | None => false
          end
      | _, _ => false
      end
  end.

(** The events before each of the pair in its thread are executed. *)
Definition at_first (ri rj : row) : facts :=
  Facts (PM.add (thread (row_event ri)) (row_position ri) (PM.add (thread (row_event rj)) (row_position rj) (PM.empty _))) [].

Definition check_certificate (c : certificate) : bool :=
  match PM.find (key i) rs, PM.find (key j) rs with
  | Some ri, Some rj => refutes (at_first ri rj) c
  | _, _ => false
  end.

End Checker.

(** ** Small traces *)

Local Notation "t : a" := (Event t a) (at level 60).

Definition excludes (tr : trace) (i j : nat) (c : certificate) : bool := check_certificate (rows_of tr) (ends_of tr) i j c.

(** Both accesses hold the lock: the section of the first would have ended. *)
Example common_lock :
  let tr := [1 : Acquire 1; 1 : Write 1; 1 : Release 1; 2 : Acquire 1; 2 : Write 1; 2 : Release 1]%positive in
  let first := Cycle [Hop ByThread 1 2; Hop BeforePair 2 1] in
  let second := Cycle [Hop ByThread 4 5; Hop BeforePair 5 4] in
  excludes tr 1 4 (Rivals 0 3 first second) = true /\ excludes tr 1 4 (Rivals 0 3 second first) = false /\
  excludes tr 1 4 first = false /\ excludes tr 1 5 (Rivals 0 3 first second) = false.
Proof. vm_compute. auto. Qed.

(** The flag that was read is set after the first access. *)
Example handed_over :
  let tr := [1 : Write 1; 1 : Store OrderRelease 1; 2 : Load OrderAcquire 1; 2 : Write 1]%positive in
  excludes tr 0 3 (Follow (Hop BySource 1 2) (Cycle [Hop ByThread 0 1; Hop BeforePair 1 0])) = true /\
  excludes tr 0 3 (Follow (Hop ByHardEdge 1 2) (Cycle [Hop ByThread 0 1; Hop BeforePair 1 0])) = false /\
  excludes tr 0 3 (Cycle [Hop ByThread 0 1; Hop BeforePair 1 0]) = false.
Proof. vm_compute. auto. Qed.

(** Readers share a lock, so their sections are not ordered. *)
Example readers_share :
  let tr := [1 : AcquireShared 1; 1 : Write 1; 1 : ReleaseShared 1; 2 : AcquireShared 1; 2 : Write 1; 2 : ReleaseShared 1]%positive in
  excludes tr 1 4 (Rivals 0 3 (Cycle [Hop ByThread 1 2; Hop BeforePair 2 1]) (Cycle [Hop ByThread 4 5; Hop BeforePair 5 4])) = false.
Proof. vm_compute. auto. Qed.

(** Thread 3 wrote what thread 2 read, after what thread 1 wrote: its section cannot come before that of thread 2. *)
Example between_writer_and_reader :
  let tr := [1 : Write 1; 1 : Write 2; 3 : Read 2; 2 : Acquire 1; 2 : Read 1; 2 : Write 3; 2 : Release 1;
             3 : Acquire 1; 3 : Write 1; 3 : Release 1; 3 : Write 3]%positive in
  let reader_first := Rivals 3 7
    (Cycle [Hop ByThread 5 6; Hop BeforePair 6 5])
    (Cycle [Hop ByThread 3 4; Hop ByAssumption 4 8; Hop ByThread 8 9; Hop ByAssumption 9 3]) in
  let writer_first := Cycle [Hop ByAssumption 8 0; Hop ByThread 0 1; Hop BySource 1 2; Hop ByThread 2 8] in
  let rest := Follow (Hop BySource 0 4) (Follow (Hop BySource 1 2) (Writers 4 8 reader_first writer_first)) in
  excludes tr 5 10 rest = true /\
  excludes tr 5 10 (Follow (Hop BySource 0 4) (Writers 4 8 reader_first writer_first)) = false /\
  excludes tr 5 10 (Writers 4 8 writer_first reader_first) = false /\
  excludes tr 5 10 (Writers 4 8 reader_first Impossible) = false.
Proof. vm_compute. auto. Qed.
