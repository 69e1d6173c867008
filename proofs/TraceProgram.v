(** * Every trace is an execution of a program

    The soundness theorems of Program.v, Predictable.v and Witness.v are about programs that could have produced the trace.  This
    file shows that they apply to every trace:
    - [executions_are_the_consistent_traces]: a trace with values is an execution of some program iff it is well formed and each
      of its reads returns the last value written.
    - [every_trace_is_an_execution]: so every well-formed trace is one, with some values.

    C++ twin: none. *)

From Coq Require Import List Arith Bool PArith Lia.
Import ListNotations.
From Omen Require Import Trace HappensBefore Reordering Program.

(** Reads return the last value written; operations without a value have 0. *)
Definition consistent_value (l : list valued) (e : valued) : Prop :=
  match action_of e with
  | Read x => value_of e = memory l x
  | Write _ => True
  | _ => value_of e = 0
  end.

Definition value_consistent (l : list valued) : Prop :=
  forall n e, nth_error l n = Some e -> consistent_value (firstn n l) e.

(** ** The program that performs the trace *)

Definition forks (u : tid) (e : valued) : bool :=
  match action_of e with
  | Fork v => Pos.eqb u v
  | _ => false
  end.

(** Threads that the trace does not fork run from the start.  A thread's next operation is the one that it has in the trace after
    as many as it has done. *)
Definition program_of (l : list valued) : program := {|
  is_root := fun t => negb (existsb (forks t) l);
  next_operation := fun t done => nth_error (past t l) (length done)
|}.

Lemma past_app t l1 l2 : past t (l1 ++ l2) = past t l1 ++ past t l2.
Proof. unfold past, of_thread. now rewrite filter_app, map_app. Qed.

Lemma next_of_past l n t : next_operation (program_of l) t (past t (firstn n l)) = nth_error (past t (skipn n l)) 0.
Proof.
  simpl. rewrite <- (firstn_skipn n l) at 1. rewrite past_app, nth_error_app2 by lia. now rewrite Nat.sub_diag.
Qed.

Lemma skipn_nth {A} (l : list A) n e : nth_error l n = Some e -> skipn n l = e :: skipn (S n) l.
Proof. revert n. induction l as [| a l IH]; intros [| n] H; try discriminate; [now injection H as -> | now apply IH]. Qed.

Theorem trace_is_an_execution l : well_formed (erase l) -> value_consistent l -> execution (program_of l) l.
Proof.
  intros Hw Hv n e Hn.
  assert (Hne : nth_error (erase l) n = Some (event_of e)) by now apply nth_erase_some.
  split; [| split].
  - pose proof (Hw _ _ Hne) as H. unfold erase in H. now rewrite firstn_map in H.
  - destruct (existsb (forks (thread_of e)) l) eqn:Ef; [right | left; simpl; now rewrite Ef].
    apply existsb_exists in Ef as (f & Hin & Hf). unfold forks in Hf.
    destruct (action_of f) as [| | | | v | | |] eqn:Ha; try discriminate. apply Pos.eqb_eq in Hf. subst v.
    apply In_nth_error in Hin as [k Hk].
    assert (Hlt : k < n).
    { eapply (child_runs_after_fork (erase l) k n (event_of f) (event_of e)); [exact Hw | now apply nth_erase_some | exact Ha | exact Hne]. }
    exists (event_of f). split; [| exact Ha]. apply in_map. rewrite <- (firstn_skipn n l) in Hk.
    rewrite nth_error_app1 in Hk; [eapply nth_error_In; exact Hk |].
    rewrite firstn_length. assert (n < length l) by (apply nth_error_Some; congruence). lia.
  - exists (value_of e). rewrite next_of_past, (skipn_nth _ _ _ Hn). split.
    + unfold past, of_thread. simpl. now rewrite Pos.eqb_refl.
    + specialize (Hv n e Hn). unfold consistent_value in Hv.
      destruct (action_of e) as [x | x | m | m | u | u | |] eqn:Ha; auto. split; [exact Hv |].
      rewrite next_of_past.
      assert (E : past u (skipn n l) = []).
      { unfold past. destruct (of_thread thread_of u (skipn n l)) as [| f r] eqn:Eo; [reflexivity | exfalso].
        assert (Hin : In f (of_thread thread_of u (skipn n l))) by (rewrite Eo; left; reflexivity).
        unfold of_thread in Hin. apply filter_In in Hin as [Hin Hf]. apply Pos.eqb_eq in Hf.
        apply In_nth_error in Hin as [k Hk].
        assert (Hk' : nth_error l (n + k) = Some f).
        { rewrite <- (firstn_skipn n l). assert (n < length l) by (apply nth_error_Some; congruence).
          rewrite nth_error_app2; rewrite firstn_length_le by lia; [| lia]. now replace (n + k - n) with k by lia. }
        assert (Hlt : n + k < n); [| lia].
        eapply (child_runs_before_join (erase l) (n + k) n (event_of f) (event_of e));
          [exact Hw | exact Hne | | now apply nth_erase_some].
        unfold action_of in Ha. rewrite Ha. f_equal. symmetry. exact Hf. }
      now rewrite E.
Qed.

Theorem executions_are_the_consistent_traces l :
  (exists P, execution P l) <-> well_formed (erase l) /\ value_consistent l.
Proof.
  split.
  - intros [P H]. split; [eapply execution_well_formed; exact H |]. intros n e Hn.
    destruct (H n e Hn) as (_ & _ & v & _ & Hval). unfold consistent_value.
    destruct (action_of e) as [x | x | m | m | u | u | |]; tauto.
  - intros [Hw Hv]. exists (program_of l). now apply trace_is_an_execution.
Qed.

(** Where nothing but 0 is written, every read returns 0. *)
Lemma memory_of_zeros tr x : memory (map (fun e => Valued e 0) tr) x = 0.
Proof.
  induction tr as [| e tr IH] using rev_ind; [reflexivity |]. rewrite map_app. unfold memory in *. rewrite fold_left_app. simpl.
  unfold store. simpl. destruct (action_of _); try exact IH. destruct (Pos.eqb _ _); [reflexivity | exact IH].
Qed.

Theorem every_trace_is_an_execution tr : well_formed tr -> exists P l, execution P l /\ erase l = tr.
Proof.
  intro Hw. set (l := map (fun e => Valued e 0) tr).
  assert (E : erase l = tr) by (unfold erase, l; rewrite map_map; simpl; apply map_id).
  exists (program_of l), l. split; [| exact E]. apply trace_is_an_execution; [now rewrite E |].
  intros n e Hn. assert (H0 : value_of e = 0).
  { unfold l in Hn. rewrite nth_error_map in Hn. destruct (nth_error tr n); [| discriminate]. now injection Hn as <-. }
  unfold consistent_value, l. rewrite firstn_map. destruct (action_of e); auto. now rewrite memory_of_zeros.
Qed.
