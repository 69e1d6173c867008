(** * Traces

    What a trace is, and when it is well formed.

    An event is a thread and an operation.  A trace is a list of events, in the order in which they were observed.
    A trace is well formed when every event is legal after the events before it:
    - a thread acquires only a free lock, or one it holds (locks are recursive);
    - a thread releases only a lock it holds;
    - a thread runs only between its fork and its join.  A thread that is never forked runs from the start, and a
      thread that is never joined runs to the end.  Several threads may join one thread.

    C++ twin: [trace/], and [WellFormedness] for [legal]. *)

From Coq Require Import List Arith PArith Lia.
Import ListNotations.

(** Only equality of identifiers matters.  They are positive numbers because these are the keys of Coq's own finite
    map.  C++ twin: [ThreadId], [LockId], [VariableId]. *)
Definition tid := positive.
Definition lock := positive.
Definition var := positive.

(** C++ twin: [Op]. *)
Inductive operation :=
| Read (x : var)
| Write (x : var)
| Acquire (m : lock)
| Release (m : lock)
| Fork (u : tid)
| Join (u : tid)
| Begin
| End.

(** The source location of an event plays no part here.  C++ twin: [Event]. *)
Record event := Event { thread : tid; action : operation }.

(** C++ twin: [Trace]. *)
Definition trace := list event.

(** [ran tr u]: thread [u] has an event in [tr]. *)
Definition ran (tr : trace) (u : tid) : Prop := exists e, In e tr /\ thread e = u.
Definition forked (tr : trace) (u : tid) : Prop := exists e, In e tr /\ action e = Fork u.
Definition joined (tr : trace) (u : tid) : Prop := exists e, In e tr /\ action e = Join u.

(** Who holds a lock: [None], or the holder and how many times it has acquired the lock again. *)
Definition hold_step (m : lock) (h : option (tid * nat)) (e : event) : option (tid * nat) :=
  match action e with
  | Acquire m' =>
      if Pos.eqb m m' then
        match h with
        | None => Some (thread e, 0)
        | Some (t, d) => Some (t, S d)
        end
      else h
  | Release m' =>
      if Pos.eqb m m' then
        match h with
        | Some (t, S d) => Some (t, d)
        | _ => None
        end
      else h
  | _ => h
  end.

Definition holder (tr : trace) (m : lock) : option (tid * nat) := fold_left (hold_step m) tr None.

(** [legal tr e]: event [e] may follow the trace [tr].  C++ twin: [WellFormedness::check]. *)
Definition legal (tr : trace) (e : event) : Prop :=
  ~ joined tr (thread e) /\
  match action e with
  | Acquire m => holder tr m = None \/ exists d, holder tr m = Some (thread e, d)
  | Release m => exists d, holder tr m = Some (thread e, d)
  | Fork u => u <> thread e /\ ~ ran tr u /\ ~ forked tr u /\ ~ joined tr u
  | Join u => u <> thread e
  | Read _ | Write _ | Begin | End => True
  end.

Definition well_formed (tr : trace) : Prop :=
  forall i e, nth_error tr i = Some e -> legal (firstn i tr) e.

(** ** Lists, seen from the end *)

Lemma nth_snoc_cases (tr : trace) e i f :
  nth_error (tr ++ [e]) i = Some f <->
  (i < length tr /\ nth_error tr i = Some f) \/ (i = length tr /\ f = e).
Proof.
  destruct (lt_dec i (length tr)) as [H | H].
  - rewrite nth_error_app1 by assumption. intuition lia.
  - rewrite nth_error_app2 by lia. destruct (Nat.eq_dec i (length tr)) as [-> | Hne].
    + rewrite Nat.sub_diag. simpl. split; [intros [= ->]; auto | intuition (try lia; congruence)].
    + split; [| intuition lia].
      destruct (i - length tr) eqn:E; [lia |]. simpl. destruct n; discriminate.
Qed.

Lemma nth_snoc_old (tr : trace) e i f : nth_error tr i = Some f -> nth_error (tr ++ [e]) i = Some f.
Proof. intro H. apply nth_snoc_cases. left. split; [apply nth_error_Some; congruence | assumption]. Qed.

Lemma nth_snoc_last (tr : trace) e : nth_error (tr ++ [e]) (length tr) = Some e.
Proof. apply nth_snoc_cases. auto. Qed.

Lemma nth_some_lt (tr : trace) i f : nth_error tr i = Some f -> i < length tr.
Proof. intro H. apply nth_error_Some. congruence. Qed.

Lemma firstn_snoc_old (tr : trace) e i : i <= length tr -> firstn i (tr ++ [e]) = firstn i tr.
Proof.
  intro H. rewrite firstn_app. replace (i - length tr) with 0 by lia. simpl. apply app_nil_r.
Qed.

Lemma split_at (tr : trace) i e :
  nth_error tr i = Some e -> tr = firstn i tr ++ [e] ++ skipn (S i) tr.
Proof.
  revert i. induction tr as [| a tr IH]; intros [| i] H; simpl in *; try discriminate.
  - congruence.
  - f_equal. exact (IH i H).
Qed.

Lemma firstn_succ (tr : trace) i e : nth_error tr i = Some e -> firstn (S i) tr = firstn i tr ++ [e].
Proof.
  revert i. induction tr as [| a tr IH]; intros [| i] H; simpl in *; try discriminate.
  - congruence.
  - f_equal. exact (IH i H).
Qed.

Lemma nth_firstn (tr : trace) i n e :
  i < n -> nth_error tr i = Some e -> nth_error (firstn n tr) i = Some e.
Proof.
  revert i n. induction tr as [| a tr IH]; intros [| i] [| n] Hl H; simpl in *; try discriminate; try lia; auto.
  apply IH; [lia | assumption].
Qed.

(** A well-formed trace is a well-formed trace and one more legal event. *)
Lemma well_formed_snoc tr e : well_formed (tr ++ [e]) <-> well_formed tr /\ legal tr e.
Proof.
  split.
  - intro H. split.
    + intros i f Hi. rewrite <- (firstn_snoc_old tr e) by (apply nth_some_lt in Hi; lia).
      apply H. apply nth_snoc_old. assumption.
    + specialize (H _ _ (nth_snoc_last tr e)). rewrite firstn_snoc_old in H by lia.
      now rewrite firstn_all in H.
  - intros [Hw Hl] i f Hi. apply nth_snoc_cases in Hi as [[Hlt Hi] | [-> ->]].
    + rewrite firstn_snoc_old by lia. auto.
    + rewrite firstn_snoc_old, firstn_all by lia. assumption.
Qed.

Lemma well_formed_nil : well_formed [].
Proof. intros [| i] e H; discriminate. Qed.

Lemma well_formed_prefix tr n : well_formed tr -> well_formed (firstn n tr).
Proof.
  intros H i e Hi.
  assert (Hlt : i < length (firstn n tr)) by (apply nth_error_Some; congruence).
  assert (Hn : i < n) by (rewrite firstn_length in Hlt; lia).
  rewrite firstn_firstn, Nat.min_l by lia. apply H.
  rewrite <- (firstn_skipn n tr), nth_error_app1 by assumption. assumption.
Qed.

Lemma joined_snoc tr e u : joined (tr ++ [e]) u <-> joined tr u \/ action e = Join u.
Proof.
  unfold joined. split.
  - intros (f & Hin & Hf). apply in_app_or in Hin as [Hin | [-> | []]]; eauto.
  - intros [(f & Hin & Hf) | H]; [exists f | exists e]; rewrite in_app_iff; simpl; auto.
Qed.

Lemma holder_snoc tr e m : holder (tr ++ [e]) m = hold_step m (holder tr m) e.
Proof. unfold holder. now rewrite fold_left_app. Qed.

(** In a well-formed trace a child has no event at or before its fork ... *)
Lemma child_runs_after_fork tr i j e f :
  well_formed tr -> nth_error tr i = Some e -> action e = Fork (thread f) -> nth_error tr j = Some f -> i < j.
Proof.
  intros Hw Hi Ha Hj. destruct (lt_eq_lt_dec j i) as [[Hlt | ->] | Hlt]; [exfalso | exfalso | assumption].
  - pose proof (Hw _ _ Hi) as [_ Hl]. rewrite Ha in Hl. destruct Hl as (_ & Hr & _). apply Hr.
    exists f. split; [| reflexivity]. eapply nth_error_In. eapply nth_firstn; eassumption.
  - pose proof (Hw _ _ Hi) as [_ Hl]. rewrite Ha in Hl. destruct Hl as (Hne & _).
    rewrite Hi in Hj. injection Hj as ->. congruence.
Qed.

(** ... and none at or after a join of it. *)
Lemma child_runs_before_join tr i j e f :
  well_formed tr -> nth_error tr j = Some f -> action f = Join (thread e) -> nth_error tr i = Some e -> i < j.
Proof.
  intros Hw Hj Ha Hi. destruct (lt_eq_lt_dec i j) as [[Hlt | ->] | Hlt]; [assumption | exfalso | exfalso].
  - pose proof (Hw _ _ Hj) as [_ Hl]. rewrite Ha in Hl. rewrite Hj in Hi. injection Hi as ->. congruence.
  - pose proof (Hw _ _ Hi) as [Hl _]. apply Hl.
    exists f. split; [| assumption]. eapply nth_error_In. eapply nth_firstn; eassumption.
Qed.
