(** * The small language

    Section 4.1 of "Verifying Dynamic Race Detection": a multithreaded language that is just rich enough to have races and to be
    instrumented for race detection, and its labelled semantics (Figure 7).

    A step may carry a label, the event that a race detector would see.  Labels do not influence the execution.

    Departures from the paper:
    - Memory cells are a type with a case for each component of the detector's state, instead of numbered blocks.  A source
      program uses [Shared] cells and [User] mutexes only.
    - A mutex is free or has a holder; the paper stores the holder's number plus one into a memory cell.
    - Shared variables have arbitrary initial values.  The clock C_t starts with 1 at t, as Figure 2 says; the paper's memory is 0
      everywhere, which is not an encoding of Figure 2's initial state.

    C++ twin: [mini/], whose language also has branches, loops, calls, objects and machine integers. *)

From Coq Require Import List Arith PArith Lia.
Import ListNotations.
From Omen Require Import Trace.

(** ** Syntax *)

(** The instrumentation has two local variables of its own.  C++ twin: [vc_1] and [vc_2]. *)
Inductive local := Own (a : positive) | Tmp1 | Tmp2.

(** C++ twin: [vc_C], [vc_L_m], [vc_R_x], [vc_W_x]. *)
Inductive cell :=
| Shared (x : var)
| ThreadClock (t u : tid)
| LockClock (m : lock) (u : tid)
| ReadClock (x : var) (u : tid)
| WriteClock (x : var) (u : tid).

(** [Guard x] is the lock X[x] of section 4.3.  C++ twin: [vc_X_x]. *)
Inductive mutex := User (m : lock) | Guard (x : var).

Inductive expr := Num (n : nat) | Local (a : local) | Plus (e1 e2 : expr) | Max (e1 e2 : expr).

Inductive instr :=
| Assign (a : local) (e : expr)
| Load (a : local) (l : cell)
| Store (e : expr) (l : cell)
| Lock (m : mutex)
| Unlock (m : mutex)
| Spawn (u : tid) (body : list instr)
| Wait (u : tid)
| Assert (e1 e2 : expr).  (** [e1 <= e2] *)

Definition code := list instr.

Definition main : tid := 1%positive.

(** ** States *)

Definition env := local -> nat.
Definition memory := cell -> nat.

Record state := State {
  pool : tid -> option (code * env);  (** [None]: not spawned; [Some ([], _)]: finished *)
  data : memory;
  held : mutex -> option tid
}.

Definition local_dec (a b : local) : {a = b} + {a <> b}.
Proof. decide equality; apply Pos.eq_dec. Defined.
Definition cell_dec (a b : cell) : {a = b} + {a <> b}.
Proof. decide equality; apply Pos.eq_dec. Defined.
Definition mutex_dec (a b : mutex) : {a = b} + {a <> b}.
Proof. decide equality; apply Pos.eq_dec. Defined.

(** [f] with [a] mapped to [v]. *)
Definition set {A B} (dec : forall a b : A, {a = b} + {a <> b}) (f : A -> B) (a : A) (v : B) : A -> B :=
  fun b => if dec b a then v else f b.

Definition put := @set tid (option (code * env)) Pos.eq_dec.
Definition assign := @set local nat local_dec.
Definition write := @set cell nat cell_dec.
Definition hold := @set mutex (option tid) mutex_dec.

Definition env0 : env := fun _ => 0.

Definition memory0 (init : var -> nat) : memory := fun l =>
  match l with
  | Shared x => init x
  | ThreadClock t u => if Pos.eq_dec t u then 1 else 0
  | _ => 0
  end.

Definition initial (init : var -> nat) (prog : code) : state :=
  State (put (fun _ => None) main (Some (prog, env0))) (memory0 init) (fun _ => None).

Fixpoint eval (G : env) (e : expr) : nat :=
  match e with
  | Num n => n
  | Local a => G a
  | Plus e1 e2 => eval G e1 + eval G e2
  | Max e1 e2 => Nat.max (eval G e1) (eval G e2)
  end.

(** ** Labelled semantics *)

(** [Error]: an assertion failed. *)
Inductive outcome := Running (s : state) | Error.

(** The event of an instruction, if a race detector is to see it. *)
Definition label (t : tid) (i : instr) : option event :=
  match i with
  | Load _ (Shared x) => Some (Event t (Read x))
  | Store _ (Shared x) => Some (Event t (Write x))
  | Lock (User m) => Some (Event t (Acquire m))
  | Unlock (User m) => Some (Event t (Release m))
  | Spawn u _ => Some (Event t (Fork u))
  | Wait u => Some (Event t (Join u))
  | _ => None
  end.

(** Figure 7: the next instruction of thread [t].  C++ twin: [Machine::step]. *)
Inductive effect (t : tid) : instr -> code -> env -> state -> outcome -> Prop :=
| DoAssign P D H c G a e :
    effect t (Assign a e) c G (State P D H) (Running (State (put P t (Some (c, assign G a (eval G e)))) D H))
| DoLoad P D H c G a l :
    effect t (Load a l) c G (State P D H) (Running (State (put P t (Some (c, assign G a (D l)))) D H))
| DoStore P D H c G e l :
    effect t (Store e l) c G (State P D H) (Running (State (put P t (Some (c, G))) (write D l (eval G e)) H))
| DoLock P D H c G m :
    H m = None ->
    effect t (Lock m) c G (State P D H) (Running (State (put P t (Some (c, G))) D (hold H m (Some t))))
| DoUnlock P D H c G m :
    H m = Some t ->
    effect t (Unlock m) c G (State P D H) (Running (State (put P t (Some (c, G))) D (hold H m None)))
| DoSpawn P D H c G u body :
    P u = None ->
    effect t (Spawn u body) c G (State P D H)
      (Running (State (put (put P u (Some (body, env0))) t (Some (c, G))) D H))
| DoWait P D H c G u Gu :
    P u = Some ([], Gu) ->
    effect t (Wait u) c G (State P D H) (Running (State (put P t (Some (c, G))) D H))
| DoAssert P D H c G e1 e2 :
    eval G e1 <= eval G e2 ->
    effect t (Assert e1 e2) c G (State P D H) (Running (State (put P t (Some (c, G))) D H))
| FailAssert P D H c G e1 e2 :
    eval G e2 < eval G e1 ->
    effect t (Assert e1 e2) c G (State P D H) Error.

Definition step (s : state) (t : tid) (o : option event) (r : outcome) : Prop :=
  exists i c G, pool s t = Some (i :: c, G) /\ o = label t i /\ effect t i c G s r.

Definition event_list (o : option event) : trace :=
  match o with
  | Some e => [e]
  | None => []
  end.

(** [run s0 tr s]: an execution from [s0] to [s] whose labels are [tr]. *)
Inductive run (s0 : state) : trace -> state -> Prop :=
| run_nil : run s0 [] s0
| run_snoc tr s t o s' : run s0 tr s -> step s t o (Running s') -> run s0 (tr ++ event_list o) s'.

(** The same without labels, for instrumented programs. *)
Inductive steps (s0 : state) : state -> Prop :=
| steps_nil : steps s0 s0
| steps_snoc s t o s' : steps s0 s -> step s t o (Running s') -> steps s0 s'.

(** All threads have executed to completion. *)
Definition final (s : state) : Prop := forall t c G, pool s t = Some (c, G) -> c = [].

(** ** Basic facts *)

Lemma set_same {A B} dec (f : A -> B) a v : set dec f a v a = v.
Proof. unfold set. destruct (dec a a); congruence. Qed.

Lemma set_other {A B} dec (f : A -> B) a v b : b <> a -> set dec f a v b = f b.
Proof. unfold set. destruct (dec b a); congruence. Qed.

Lemma effect_functional t i c G s r1 r2 : effect t i c G s r1 -> effect t i c G s r2 -> r1 = r2.
Proof. intros H1 H2. destruct H1; inversion H2; subst; try reflexivity; lia. Qed.

Lemma step_functional s t o1 r1 o2 r2 : step s t o1 r1 -> step s t o2 r2 -> o1 = o2 /\ r1 = r2.
Proof.
  intros (i & c & G & Hp & -> & H1) (j & d & K & Hq & -> & H2). rewrite Hp in Hq. injection Hq as <- <- <-.
  split; [reflexivity | eapply effect_functional; eassumption].
Qed.

Lemma run_steps s0 tr s : run s0 tr s -> steps s0 s.
Proof. induction 1; econstructor; eassumption. Qed.

Lemma steps_run s0 s : steps s0 s -> exists tr, run s0 tr s.
Proof. induction 1 as [| s t o s' _ [tr IH] H]; eauto using run_nil, run_snoc. Qed.

Lemma steps_trans a b c : steps a b -> steps b c -> steps a c.
Proof. intros H1 H2. induction H2; eauto using steps_snoc. Qed.
