(** * The whole event model

    Every operation that a recorded trace can have, and when a trace is well formed: docs/event-model.md, "Operations" and
    "Well-formedness".  [Trace.v] is the core of it that the proofs of the detectors are about; nothing here depends on it.

    A thread's own events alone determine which locks it holds ([depth], [shared], [pending]); [phase_of] says where a thread
    is between its fork and its join.  [legal tr e]: event [e] may follow the trace [tr].

    C++ twin: [trace/operation.hpp], and [WellFormedness] for [legal]. *)

From Coq Require Import List Arith Bool PArith Lia.
Import ListNotations.

Definition tid := positive.
Definition lock := positive.
Definition var := positive.
Definition barrier := positive.
Definition atomic := positive.

(** C++ twin: [MemoryOrder]. *)
Inductive memory_order := OrderRelaxed | OrderAcquire | OrderRelease | OrderAcqRel | OrderSeqCst.

(** C++ twin: [Op]. *)
Inductive operation :=
| Read (x : var)
| Write (x : var)
| Alloc (x : var)
| Free (x : var)
| Acquire (m : lock)
| Release (m : lock)
| AcquireShared (m : lock)
| ReleaseShared (m : lock)
| Wait (m : lock)
| Wake (m : lock)
| Arrive (b : barrier)
| Leave (b : barrier)
| Load (o : memory_order) (a : atomic)
| Store (o : memory_order) (a : atomic)
| Rmw (o : memory_order) (a : atomic)
| Fence (o : memory_order)
| Fork (u : tid)
| Join (u : tid)
| Begin
| End.

Record event := Event { thread : tid; action : operation }.

Definition trace := list event.

(** C++ forbids a load that releases and a store that acquires; a relaxed fence is no event. *)
Definition order_fits (a : operation) : bool :=
  match a with
  | Load OrderRelease _ | Load OrderAcqRel _ | Store OrderAcquire _ | Store OrderAcqRel _ | Fence OrderRelaxed => false
  | _ => true
  end.

(** ** Where a thread is *)

Inductive phase := Unborn | Forked | Running | Waiting (m : lock) | Ended | Joined.

Definition phase_step (t : tid) (p : phase) (e : event) : phase :=
  if Pos.eqb (thread e) t then
    match action e with
    | Wait m => Waiting m
    | End => Ended
    | _ => Running
    end
  else
    match action e with
    | Fork u => if Pos.eqb u t then Forked else p
    | Join u => if Pos.eqb u t then Joined else p
    | _ => p
    end.

Definition phase_of (tr : trace) (t : tid) : phase := fold_left (phase_step t) tr Unborn.

(** Between [Wait] and [Wake] a thread does nothing; after its end or its join, nothing more. *)
Definition may_act (p : phase) (a : operation) : Prop :=
  match p with
  | Unborn | Forked => True
  | Running => a <> Begin
  | Waiting m => a = Wake m
  | Ended | Joined => False
  end.

(** ** The locks of a thread *)

(** How many times it has acquired [m] exclusively and not released it; and how many times it had, when it last began to
    wait: a wait gives the lock up whatever the depth, a wake has it back at the same depth. *)
Definition depth_step (t : tid) (m : lock) (d : nat * nat) (e : event) : nat * nat :=
  if Pos.eqb (thread e) t then
    match action e with
    | Acquire k => if Pos.eqb k m then (S (fst d), snd d) else d
    | Release k => if Pos.eqb k m then (pred (fst d), snd d) else d
    | Wait k => if Pos.eqb k m then (0, fst d) else d
    | Wake k => if Pos.eqb k m then (snd d, 0) else d
    | _ => d
    end
  else d.

Definition depths (tr : trace) (t : tid) (m : lock) : nat * nat := fold_left (depth_step t m) tr (0, 0).
Definition depth (tr : trace) (t : tid) (m : lock) : nat := fst (depths tr t m).
Definition saved (tr : trace) (t : tid) (m : lock) : nat := snd (depths tr t m).

(** How many times it holds [m] as a reader. *)
Definition shared_step (t : tid) (m : lock) (d : nat) (e : event) : nat :=
  if Pos.eqb (thread e) t then
    match action e with
    | AcquireShared k => if Pos.eqb k m then S d else d
    | ReleaseShared k => if Pos.eqb k m then pred d else d
    | _ => d
    end
  else d.

Definition shared (tr : trace) (t : tid) (m : lock) : nat := fold_left (shared_step t m) tr 0.

(** How many times it has arrived at [b] and not left. *)
Definition pending_step (t : tid) (b : barrier) (n : nat) (e : event) : nat :=
  if Pos.eqb (thread e) t then
    match action e with
    | Arrive k => if Pos.eqb k b then S n else n
    | Leave k => if Pos.eqb k b then pred n else n
    | _ => n
    end
  else n.

Definition pending (tr : trace) (t : tid) (b : barrier) : nat := fold_left (pending_step t b) tr 0.

(** ** Well-formed traces *)

Definition legal (tr : trace) (e : event) : Prop :=
  may_act (phase_of tr (thread e)) (action e) /\
  order_fits (action e) = true /\
  match action e with
  | Acquire m => (forall u, u <> thread e -> depth tr u m = 0) /\ forall u, shared tr u m = 0
  | Release m => 0 < depth tr (thread e) m
  | AcquireShared m => forall u, depth tr u m = 0
  | ReleaseShared m => 0 < shared tr (thread e) m
  | Wait m => 0 < depth tr (thread e) m
  | Wake m => phase_of tr (thread e) = Waiting m /\ forall u, depth tr u m = 0 /\ shared tr u m = 0
  | Leave b => 0 < pending tr (thread e) b
  | Fork u => u <> thread e /\ phase_of tr u = Unborn
  | Join u => u <> thread e /\ forall m, phase_of tr u <> Waiting m
  | _ => True
  end.

Definition well_formed (tr : trace) : Prop :=
  forall i e, nth_error tr i = Some e -> legal (firstn i tr) e.

(** ** Traces, seen from the end *)

Lemma phase_of_snoc tr e t : phase_of (tr ++ [e]) t = phase_step t (phase_of tr t) e.
Proof. unfold phase_of. now rewrite fold_left_app. Qed.

Lemma depths_snoc tr e t m : depths (tr ++ [e]) t m = depth_step t m (depths tr t m) e.
Proof. unfold depths. now rewrite fold_left_app. Qed.

Lemma shared_snoc tr e t m : shared (tr ++ [e]) t m = shared_step t m (shared tr t m) e.
Proof. unfold shared. now rewrite fold_left_app. Qed.

Lemma pending_snoc tr e t b : pending (tr ++ [e]) t b = pending_step t b (pending tr t b) e.
Proof. unfold pending. now rewrite fold_left_app. Qed.

Lemma nth_snoc {A} (tr : list A) e i f :
  nth_error (tr ++ [e]) i = Some f <-> (i < length tr /\ nth_error tr i = Some f) \/ (i = length tr /\ f = e).
Proof.
  destruct (lt_eq_lt_dec i (length tr)) as [[H | ->] | H].
  - rewrite nth_error_app1 by assumption. intuition lia.
  - rewrite nth_error_app2, Nat.sub_diag by lia. simpl. split; [intros [= ->]; auto | intuition (try lia; congruence)].
  - rewrite nth_error_app2 by lia. split; [| intuition lia].
    destruct (i - length tr) eqn:E; [lia |]. simpl. destruct n; discriminate.
Qed.

Lemma firstn_snoc_le {A} (tr : list A) e i : i <= length tr -> firstn i (tr ++ [e]) = firstn i tr.
Proof. intro H. rewrite firstn_app. replace (i - length tr) with 0 by lia. simpl. apply app_nil_r. Qed.

Lemma firstn_S {A} (tr : list A) i e : nth_error tr i = Some e -> firstn (S i) tr = firstn i tr ++ [e].
Proof.
  revert i. induction tr as [| a tr IH]; intros [| i] H; simpl in *; try discriminate; [congruence |].
  f_equal. now apply IH.
Qed.

Lemma nth_lt {A} (tr : list A) i e : nth_error tr i = Some e -> i < length tr.
Proof. intro H. apply nth_error_Some. congruence. Qed.

Lemma well_formed_snoc tr e : well_formed (tr ++ [e]) <-> well_formed tr /\ legal tr e.
Proof.
  split.
  - intro H. split.
    + intros i f Hi. pose proof (nth_lt _ _ _ Hi). rewrite <- (firstn_snoc_le tr e) by lia. apply H, nth_snoc. auto.
    + assert (Hl : nth_error (tr ++ [e]) (length tr) = Some e) by (apply nth_snoc; auto).
      specialize (H _ _ Hl). now rewrite firstn_snoc_le, firstn_all in H by lia.
  - intros [Hw Hl] i f Hi. apply nth_snoc in Hi as [[Hlt Hi] | [-> ->]].
    + rewrite firstn_snoc_le by lia. auto.
    + now rewrite firstn_snoc_le, firstn_all by lia.
Qed.

Lemma well_formed_nil : well_formed [].
Proof. intros [| i] e H; discriminate. Qed.

Lemma well_formed_app p q : well_formed (p ++ q) -> well_formed p.
Proof.
  induction q as [| e q IH] using rev_ind; [now rewrite app_nil_r |].
  rewrite app_assoc, well_formed_snoc. tauto.
Qed.
