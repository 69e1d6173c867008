(** * Which programs the theorems are about

    [check_program] decides [well_formed_program].  The test that compares [instrument] with the C++ uses it, so that the theorems
    apply to the compared programs.

    C++ twin: none.  The C++ does not check that a program unlocks only locks that it holds and spawns each thread once. *)

From Coq Require Import List Bool PArith.
Import ListNotations.
From Omen Require Import Trace Mini Instrument.

Fixpoint check_expr (e : expr) : bool :=
  match e with
  | Num _ => true
  | Local (Own _) => true
  | Local _ => false
  | Plus e1 e2 | Max e1 e2 => check_expr e1 && check_expr e2
  end.

(** The locks that a thread holds after [i], if it may execute [i] while it holds [hs]. *)
Fixpoint check_instr (hs : list lock) (i : instr) {struct i} : option (list lock) :=
  match i with
  | Assign (Own _) e => if check_expr e then Some hs else None
  | Load (Own _) (Shared _) => Some hs
  | Store e (Shared _) => if check_expr e then Some hs else None
  | Lock (User m) => Some (m :: hs)
  | Unlock (User m) => if in_dec Pos.eq_dec m hs then Some (remove Pos.eq_dec m hs) else None
  | Spawn _ body =>
      if (fix check_code (hs : list lock) (c : code) : bool :=
            match c with
            | [] => true
            | j :: c => match check_instr hs j with Some hs => check_code hs c | None => false end
            end) [] body
      then Some hs else None
  | Wait _ => Some hs
  | Assert e1 e2 => if check_expr e1 && check_expr e2 then Some hs else None
  | _ => None
  end.

Fixpoint check_code (hs : list lock) (c : code) : bool :=
  match c with
  | [] => true
  | j :: c => match check_instr hs j with Some hs => check_code hs c | None => false end
  end.

Fixpoint distinct (l : list tid) : bool :=
  match l with
  | [] => true
  | t :: l => negb (existsb (Pos.eqb t) l) && distinct l
  end.

Definition check_program (prog : code) : bool := check_code [] prog && distinct (main :: spawns prog).

(** ** It is right *)

Lemma check_expr_right e : check_expr e = true <-> own_expr e.
Proof.
  induction e as [n | [a | |] | e1 IH1 e2 IH2 | e1 IH1 e2 IH2]; simpl; try rewrite andb_true_iff; intuition discriminate.
Qed.

Lemma distinct_right l : distinct l = true <-> NoDup l.
Proof.
  induction l as [| t l IH]; simpl; [split; [constructor | reflexivity] |].
  rewrite andb_true_iff, IH, negb_true_iff, NoDup_cons_iff.
  assert (H : existsb (Pos.eqb t) l = true <-> In t l).
  { rewrite existsb_exists. split; [intros (u & Hu & E); apply Pos.eqb_eq in E; now subst u | intro; exists t; split; [assumption | apply Pos.eqb_refl]]. }
  rewrite <- H. destruct (existsb _ _); intuition discriminate.
Qed.

Section Induction.

Context (P : instr -> Prop).
Context (Hspawn : forall u body, Forall P body -> P (Spawn u body)).
Context (Hother : forall i, (forall u body, i <> Spawn u body) -> P i).

Fixpoint nested_induction (i : instr) : P i.
Proof.
  destruct i; try (apply Hother; discriminate). apply Hspawn.
  induction body as [| j c IH]; constructor; [apply nested_induction | exact IH].
Defined.

End Induction.

Definition agrees (i : instr) : Prop := forall hs c,
  (forall hs, check_code hs c = true <-> source_code hs c) -> (check_code hs (i :: c) = true <-> source_code hs (i :: c)).

Lemma agrees_code c : Forall agrees c -> forall hs, check_code hs c = true <-> source_code hs c.
Proof.
  induction 1 as [| i c Hi Hc IH]; intro hs; [split; [constructor | reflexivity] |]. now apply Hi.
Qed.

Lemma agrees_all i : agrees i.
Proof.
  induction i as [u body Hbody | i Hi] using nested_induction; intros hs c Hc.
  - pose proof (agrees_code _ Hbody) as Hb.
    change (check_code hs (Spawn u body :: c)) with (match (if check_code [] body then Some hs else None) with
      Some hs => check_code hs c | None => false end).
    destruct (check_code [] body) eqn:E.
    + rewrite Hc. split; [intro H; constructor; [now apply Hb | assumption] | intro H; now inversion H].
    + split; [discriminate | intro H; inversion H; subst]. rewrite <- Hb in *. congruence.
  - assert (Hcase : forall e, check_expr e = true \/ check_expr e = false) by (intro e; destruct (check_expr e); auto).
    destruct i as [[a | |] e | [a | |] [] | e [] | [] | [] | u b | u | e1 e2]; simpl;
      try (split; [discriminate | intro H; inversion H]);
      try (rewrite Hc; split; [constructor; assumption | intro H; now inversion H]).
    + destruct (check_expr e) eqn:E; [rewrite Hc; split; [intro; constructor; [now apply check_expr_right | assumption] | intro H; now inversion H] |].
      split; [discriminate | intro H; inversion H; subst]. rewrite <- check_expr_right in *. congruence.
    + destruct (check_expr e) eqn:E; [rewrite Hc; split; [intro; constructor; [now apply check_expr_right | assumption] | intro H; now inversion H] |].
      split; [discriminate | intro H; inversion H; subst]. rewrite <- check_expr_right in *. congruence.
    + destruct (in_dec Pos.eq_dec m hs) as [Hin | Hin]; [rewrite Hc; split; [now constructor | intro H; now inversion H] |].
      split; [discriminate | intro H; inversion H; contradiction].
    + destruct (Hi u b eq_refl).
    + destruct (check_expr e1 && check_expr e2) eqn:E.
      * apply andb_true_iff in E as [E1 E2]. rewrite Hc. apply check_expr_right in E1, E2.
        split; [now constructor | intro H; now inversion H].
      * split; [discriminate | intro H; inversion H; subst]. rewrite <- !check_expr_right in *.
        rewrite (proj2 (andb_true_iff _ _)) in E; [discriminate | auto].
Qed.

Theorem check_program_is_right prog : check_program prog = true <-> well_formed_program prog.
Proof.
  unfold check_program, well_formed_program. rewrite andb_true_iff, distinct_right.
  rewrite agrees_code; [reflexivity |]. apply Forall_forall. intros i _. apply agrees_all.
Qed.
