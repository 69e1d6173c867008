(** * The instrumentation

    Figures 8 and 9 of "Verifying Dynamic Race Detection", with the locks of section 4.3: VectorClock race detection as a
    source-to-source pass.  The clocks of the detector become memory of the program, and an access that races fails an assertion.

    [instrument] is extracted and compared with the C++.  Theorems 4 and 5 are about it.

    Departures from the paper:
    - Figure 8's max(p, q) stores into p; Figure 9 uses it as if it stored into q, and so does this pass.
    - `wait u` does not increment C[u], as section 3.4 asks for, so that several threads may wait for one.

    C++ twin: [instrument] of mini/instrument.cpp. *)

From Coq Require Import List Arith PArith Lia.
Import ListNotations.
From Omen Require Import Trace Mini.

(** ** Figure 8 *)

(** A clock in memory: the cell of each thread's component. *)
Definition block := tid -> cell.

Definition move (from to : cell) : code := [Load Tmp1 from; Store (Local Tmp1) to].
Definition increment (l : cell) : code := [Load Tmp1 l; Store (Plus (Local Tmp1) (Num 1)) l].
Definition max (from to : cell) : code := [Load Tmp1 from; Load Tmp2 to; Store (Max (Local Tmp1) (Local Tmp2)) to].
Definition check_leq (a b : cell) : code := [Load Tmp1 a; Load Tmp2 b; Assert (Local Tmp1) (Local Tmp2)].

Section Instrument.

(** The threads that the clocks have components for. *)
Context (ids : list tid).

Definition set_clock (from to : block) : code := flat_map (fun u => move (from u) (to u)) ids.
Definition merge (from to : block) : code := flat_map (fun u => max (from u) (to u)) ids.
Definition hb_check (a b : block) : code := flat_map (fun u => check_leq (a u) (b u)) ids.

(** ** Figure 9 and section 4.3 *)

(** The metadata operations before an access. *)
Definition load_checks (t : tid) (x : var) : code :=
  hb_check (WriteClock x) (ThreadClock t) ++ move (ThreadClock t t) (ReadClock x t).
Definition store_checks (t : tid) (x : var) : code :=
  hb_check (WriteClock x) (ThreadClock t) ++ hb_check (ReadClock x) (ThreadClock t) ++
  move (ThreadClock t t) (WriteClock x t).

(** The instruction [i] of thread [t], with its instrumentation. *)
Fixpoint section (t : tid) (i : instr) : code :=
  match i with
  | Load _ (Shared x) => Lock (Guard x) :: load_checks t x ++ [i; Unlock (Guard x)]
  | Store _ (Shared x) => Lock (Guard x) :: store_checks t x ++ [i; Unlock (Guard x)]
  | Lock (User m) => i :: merge (LockClock m) (ThreadClock t)
  | Unlock (User m) => set_clock (ThreadClock t) (LockClock m) ++ increment (ThreadClock t t) ++ [i]
  | Spawn u body =>
      merge (ThreadClock t) (ThreadClock u) ++ increment (ThreadClock t t) ++ [Spawn u (flat_map (section u) body)]
  | Wait u => i :: merge (ThreadClock u) (ThreadClock t)
  | _ => [i]
  end.

Definition instrument_thread (t : tid) (c : code) : code := flat_map (section t) c.

End Instrument.

(** ** Programs *)

(** The threads that a program spawns, now or later. *)
Fixpoint spawned (i : instr) : list tid :=
  match i with
  | Spawn u body => u :: flat_map spawned body
  | _ => []
  end.

Definition spawns (c : code) : list tid := flat_map spawned c.

(** 1, 2, ... up to the largest number of a thread.  The paper's 0 ... z - 1. *)
Definition threads_of (prog : code) : list tid :=
  map Pos.of_nat (seq 1 (Pos.to_nat (fold_right Pos.max main (spawns prog)))).

Definition instrument (prog : code) : code := instrument_thread (threads_of prog) main prog.

(** ** Well-formed programs

    A source program uses no metadata, unlocks only locks that it holds, and spawns each thread once.  Bodies are straight-line code,
    so all of that is visible in the text. *)

Fixpoint own_expr (e : expr) : Prop :=
  match e with
  | Num _ => True
  | Local (Own _) => True
  | Local _ => False
  | Plus e1 e2 | Max e1 e2 => own_expr e1 /\ own_expr e2
  end.

(** [source_code hs c]: [c] may be executed by a thread that holds [hs]. *)
Inductive source_code : list lock -> code -> Prop :=
| source_nil hs : source_code hs []
| source_assign hs a e c : own_expr e -> source_code hs c -> source_code hs (Assign (Own a) e :: c)
| source_load hs a x c : source_code hs c -> source_code hs (Load (Own a) (Shared x) :: c)
| source_store hs e x c : own_expr e -> source_code hs c -> source_code hs (Store e (Shared x) :: c)
| source_lock hs m c : source_code (m :: hs) c -> source_code hs (Lock (User m) :: c)
| source_unlock hs m c : In m hs -> source_code (remove Pos.eq_dec m hs) c -> source_code hs (Unlock (User m) :: c)
| source_spawn hs u body c : source_code [] body -> source_code hs c -> source_code hs (Spawn u body :: c)
| source_wait hs u c : source_code hs c -> source_code hs (Wait u :: c)
| source_assert hs e1 e2 c : own_expr e1 -> own_expr e2 -> source_code hs c -> source_code hs (Assert e1 e2 :: c).

Definition well_formed_program (prog : code) : Prop := source_code [] prog /\ NoDup (main :: spawns prog).

Lemma spawns_app c d : spawns (c ++ d) = spawns c ++ spawns d.
Proof. apply flat_map_app. Qed.

Lemma in_threads_of prog u : In u (main :: spawns prog) -> In u (threads_of prog).
Proof.
  intro H. unfold threads_of. rewrite <- (Pos2Nat.id u). apply in_map, in_seq.
  assert (Hle : (u <= fold_right Pos.max main (spawns prog))%positive).
  { destruct H as [<- | H]; [apply Pos.le_1_l |].
    induction (spawns prog) as [| v l IH]; [destruct H |]. simpl. destruct H as [-> | H]; [apply Pos.le_max_l |].
    eapply Pos.le_trans; [apply IH, H | apply Pos.le_max_r]. }
  pose proof (Pos2Nat.is_pos u). apply Pos2Nat.inj_le in Hle. lia.
Qed.
