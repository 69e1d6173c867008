(** * Well-formedness of the whole event model, as a program

    [allow]: true if this event may come next.  A map per kind of object, updated event by event, represents the
    definitions of [EventModel.v] over the whole past.
    - [allow_is_legal]: it allows exactly the legal events;
    - [check_trace_is_right]: [check_trace] finds the first event that is not legal.

    C++ twin: [WellFormedness::check]. *)

From Coq Require Import List Arith Bool PArith Lia FMapPositive.
Import ListNotations.
From Omen Require Import EventModel.

Module PM := PositiveMap.

(** ** State *)

(** Who holds a lock exclusively, how many times; and who as a reader, how many times. *)
Record lock_state := LockState { owner : option (tid * nat); readers : PM.t nat }.

Definition free_lock : lock_state := LockState None (PM.empty _).

Record progress := Progress {
  phases : PM.t (phase * nat);  (* with the depth to restore, of a thread that waits *)
  locks : PM.t lock_state;
  arrived : PM.t (PM.t nat)  (* per thread and barrier: arrived and not left *)
}.

Definition no_progress : progress := Progress (PM.empty _) (PM.empty _) (PM.empty _).

Definition phase_in (p : progress) (t : tid) : phase * nat :=
  match PM.find t (phases p) with Some s => s | None => (Unborn, 0) end.
Definition lock_in (p : progress) (m : lock) : lock_state :=
  match PM.find m (locks p) with Some s => s | None => free_lock end.
Definition arrived_of (p : progress) (t : tid) : PM.t nat :=
  match PM.find t (arrived p) with Some s => s | None => PM.empty _ end.
Definition count_in (k : positive) (m : PM.t nat) : nat := match PM.find k m with Some n => n | None => 0 end.

Inductive fault :=
| ActsAfterEnd
| ActsInWait
| BeginsAgain
| OrderDoesNotFit
| HeldByAnother
| NotHeld
| WakesWithoutWait
| ForksItself
| ForksOldThread
| JoinsItself
| JoinsWaiter
| LeavesWithoutArrival.

(** ** One event *)

Definition refusal_of (p : phase) (a : operation) : option fault :=
  match p with
  | Unborn | Forked => None
  | Running => match a with Begin => Some BeginsAgain | _ => None end
  | Waiting m => match a with Wake k => if Pos.eqb k m then None else Some ActsInWait | _ => Some ActsInWait end
  | Ended | Joined => Some ActsAfterEnd
  end.

Definition set_phase (t : tid) (s : phase * nat) (p : progress) : progress :=
  Progress (PM.add t s (phases p)) (locks p) (arrived p).
Definition set_lock (m : lock) (s : lock_state) (p : progress) : progress :=
  Progress (phases p) (PM.add m s (locks p)) (arrived p).
Definition set_arrived (t : tid) (b : barrier) (n : nat) (p : progress) : progress :=
  Progress (phases p) (locks p) (PM.add t (PM.add b n (arrived_of p t)) (arrived p)).

(** Readers that hold nothing any more are removed, so that a lock without readers has an empty map. *)
Definition set_readers (t : tid) (n : nat) (s : lock_state) : lock_state :=
  LockState (owner s) (match n with 0 => PM.remove t (readers s) | S _ => PM.add t n (readers s) end).
Definition set_owner (o : option (tid * nat)) (s : lock_state) : lock_state := LockState o (readers s).

Definition allow (p : progress) (e : event) : progress + fault :=
  let t := thread e in
  let a := action e in
  match refusal_of (fst (phase_in p t)) a with
  | Some why => inr why
  | None =>
      if order_fits a then
        let q := set_phase t (Running, 0) p in
        match a with
        | Acquire m =>
            let s := lock_in p m in
            if PM.is_empty (readers s) then
              match owner s with
              | None => inl (set_lock m (set_owner (Some (t, 1)) s) q)
              | Some (u, d) =>
                  if Pos.eqb u t then inl (set_lock m (set_owner (Some (t, S d)) s) q) else inr HeldByAnother
              end
            else inr HeldByAnother
        | Release m =>
            let s := lock_in p m in
            match owner s with
            | Some (u, d) =>
                if Pos.eqb u t then
                  inl (set_lock m (set_owner (match d with 0 | 1 => None | S d' => Some (t, d') end) s) q)
                else inr NotHeld
            | None => inr NotHeld
            end
        | AcquireShared m =>
            let s := lock_in p m in
            match owner s with
            | None => inl (set_lock m (set_readers t (S (count_in t (readers s))) s) q)
            | Some _ => inr HeldByAnother
            end
        | ReleaseShared m =>
            let s := lock_in p m in
            match count_in t (readers s) with
            | 0 => inr NotHeld
            | S n => inl (set_lock m (set_readers t n s) q)
            end
        | Wait m =>
            let s := lock_in p m in
            match owner s with
            | Some (u, d) =>
                if Pos.eqb u t then inl (set_lock m (set_owner None s) (set_phase t (Waiting m, d) p)) else inr NotHeld
            | None => inr NotHeld
            end
        | Wake m =>
            let s := lock_in p m in
            match fst (phase_in p t) with
            | Waiting _ =>
                if PM.is_empty (readers s) then
                  match owner s with
                  | None => inl (set_lock m (set_owner (Some (t, snd (phase_in p t))) s) q)
                  | Some _ => inr HeldByAnother
                  end
                else inr HeldByAnother
            | _ => inr WakesWithoutWait
            end
        | Arrive b => inl (set_arrived t b (S (count_in b (arrived_of p t))) q)
        | Leave b =>
            match count_in b (arrived_of p t) with
            | 0 => inr LeavesWithoutArrival
            | S n => inl (set_arrived t b n q)
            end
        | Fork u =>
            if Pos.eqb u t then inr ForksItself
            else
              match fst (phase_in p u) with
              | Unborn => inl (set_phase u (Forked, 0) q)
              | _ => inr ForksOldThread
              end
        | Join u =>
            if Pos.eqb u t then inr JoinsItself
            else
              match fst (phase_in p u) with
              | Waiting _ => inr JoinsWaiter
              | _ => inl (set_phase u (Joined, 0) q)
              end
        | End => inl (set_phase t (Ended, 0) p)
        | Read _ | Write _ | Alloc _ | Free _ | Load _ _ | Store _ _ | Rmw _ _ | Fence _ | Begin => inl q
        end
      else inr OrderDoesNotFit
  end.

(** ** The invariant of the state *)

Record follows (p : progress) (tr : trace) : Prop := {
  follows_phase : forall t, fst (phase_in p t) = phase_of tr t;
  follows_saved : forall t m, phase_of tr t = Waiting m -> snd (phase_in p t) = saved tr t m /\ 0 < saved tr t m;
  follows_depth : forall t m, depth tr t m =
    match owner (lock_in p m) with Some (u, d) => if Pos.eqb u t then d else 0 | None => 0 end;
  follows_owner : forall m u d, owner (lock_in p m) = Some (u, d) -> 0 < d;
  follows_shared : forall t m, shared tr t m = count_in t (readers (lock_in p m));
  follows_readers : forall t m, PM.find t (readers (lock_in p m)) <> Some 0;
  follows_pending : forall t b, pending tr t b = count_in b (arrived_of p t)
}.

Lemma follows_nil : follows no_progress [].
Proof.
  split; intros; unfold phase_in, lock_in, arrived_of, count_in, saved, free_lock in *; simpl in *;
    rewrite ?PM.gempty in *; simpl; rewrite ?PM.gempty; try reflexivity; try discriminate.
Qed.

Lemma empty_readers p tr m :
  follows p tr -> (PM.is_empty (readers (lock_in p m)) = true <-> forall u, shared tr u m = 0).
Proof.
  intro F. split.
  - intros H u. rewrite (follows_shared _ _ F). unfold count_in. apply PM.is_empty_2 in H.
    rewrite PM.Empty_alt in H. now rewrite H.
  - intro H. apply PM.is_empty_1. apply PM.Empty_alt. intro u. specialize (H u).
    rewrite (follows_shared _ _ F) in H. unfold count_in in H. pose proof (follows_readers _ _ F u m) as Hr.
    destruct (PM.find u (readers (lock_in p m))); congruence.
Qed.

Lemma may_act_iff p a : refusal_of p a = None <-> may_act p a.
Proof.
  destruct p; simpl; try tauto; try (split; [discriminate | tauto]).
  - destruct a; split; congruence.
  - destruct a; try (split; [discriminate | intro; discriminate]).
    destruct (Pos.eqb_spec m0 m); split; congruence.
Qed.

(** ** Lookups after an update *)

Lemma phase_in_set t s p u : phase_in (set_phase t s p) u = if Pos.eqb t u then s else phase_in p u.
Proof.
  unfold phase_in, set_phase. simpl. destruct (Pos.eqb_spec t u) as [-> | Hne].
  - now rewrite PM.gss.
  - rewrite PM.gso by congruence. reflexivity.
Qed.

Lemma phase_in_lock m s p u : phase_in (set_lock m s p) u = phase_in p u.
Proof. reflexivity. Qed.
Lemma phase_in_arrived t b n p u : phase_in (set_arrived t b n p) u = phase_in p u.
Proof. reflexivity. Qed.

Lemma lock_in_set m s p k : lock_in (set_lock m s p) k = if Pos.eqb m k then s else lock_in p k.
Proof.
  unfold lock_in, set_lock. simpl. destruct (Pos.eqb_spec m k) as [-> | Hne].
  - now rewrite PM.gss.
  - rewrite PM.gso by congruence. reflexivity.
Qed.

Lemma lock_in_phase t s p k : lock_in (set_phase t s p) k = lock_in p k.
Proof. reflexivity. Qed.
Lemma lock_in_arrived t b n p k : lock_in (set_arrived t b n p) k = lock_in p k.
Proof. reflexivity. Qed.

Lemma arrived_of_set t b n p u :
  arrived_of (set_arrived t b n p) u = if Pos.eqb t u then PM.add b n (arrived_of p t) else arrived_of p u.
Proof.
  unfold arrived_of, set_arrived. simpl. destruct (Pos.eqb_spec t u) as [-> | Hne].
  - now rewrite PM.gss.
  - rewrite PM.gso by congruence. reflexivity.
Qed.

Lemma arrived_of_phase t s p u : arrived_of (set_phase t s p) u = arrived_of p u.
Proof. reflexivity. Qed.
Lemma arrived_of_lock m s p u : arrived_of (set_lock m s p) u = arrived_of p u.
Proof. reflexivity. Qed.

Lemma count_in_add k n m j : count_in j (PM.add k n m) = if Pos.eqb k j then n else count_in j m.
Proof.
  unfold count_in. destruct (Pos.eqb_spec k j) as [-> | Hne].
  - now rewrite PM.gss.
  - rewrite PM.gso by congruence. reflexivity.
Qed.

Lemma count_in_readers t n s u :
  count_in u (readers (set_readers t n s)) = if Pos.eqb t u then n else count_in u (readers s).
Proof.
  unfold set_readers. simpl. destruct n.
  - unfold count_in. destruct (Pos.eqb_spec t u) as [-> | Hne].
    + now rewrite PM.grs.
    + rewrite PM.gro by congruence. reflexivity.
  - apply count_in_add.
Qed.

Lemma readers_not_zero t n s u :
  (forall u, PM.find u (readers s) <> Some 0) -> PM.find u (readers (set_readers t n s)) <> Some 0.
Proof.
  intro H. unfold set_readers. simpl. destruct n.
  - destruct (Pos.eq_dec t u) as [-> | Hne]; [now rewrite PM.grs | rewrite PM.gro by congruence; apply H].
  - destruct (Pos.eq_dec t u) as [-> | Hne]; [rewrite PM.gss; discriminate | rewrite PM.gso by congruence; apply H].
Qed.

Create HintDb lookups.
Global Hint Rewrite phase_in_set phase_in_lock phase_in_arrived lock_in_set lock_in_phase lock_in_arrived arrived_of_set
  arrived_of_phase arrived_of_lock count_in_add count_in_readers : lookups.

(** ** Allowed is legal *)

Lemma owner_none p tr m : follows p tr -> owner (lock_in p m) = None <-> forall u, depth tr u m = 0.
Proof.
  intro F. split.
  - intros H u. now rewrite (follows_depth _ _ F), H.
  - intro H. destruct (owner (lock_in p m)) as [[u d] |] eqn:E; [exfalso | reflexivity].
    specialize (H u). rewrite (follows_depth _ _ F), E, Pos.eqb_refl in H. pose proof (follows_owner _ _ F m u d E). lia.
Qed.

Lemma owner_some p tr m u d : follows p tr -> owner (lock_in p m) = Some (u, d) -> depth tr u m = d /\ 0 < d.
Proof.
  intros F E. rewrite (follows_depth _ _ F), E, Pos.eqb_refl. split; [reflexivity | eapply follows_owner; eassumption].
Qed.

Lemma owner_other p tr m u d t :
  follows p tr -> owner (lock_in p m) = Some (u, d) -> u <> t -> depth tr t m = 0.
Proof. intros F E Hne. rewrite (follows_depth _ _ F), E. destruct (Pos.eqb_spec u t); congruence. Qed.

Theorem allow_is_legal p tr e : follows p tr -> ((exists p', allow p e = inl p') <-> legal tr e).
Proof.
  intro F. destruct e as [t a]. unfold allow, legal. simpl.
  rewrite <- may_act_iff, <- (follows_phase _ _ F).
  destruct (refusal_of (fst (phase_in p t)) a) as [why |] eqn:Ephase.
  { split; [intros (p' & H); discriminate | intros [H _]; discriminate]. }
  destruct (order_fits a); [| split; [intros (p' & H); discriminate | intros (_ & H & _); discriminate]].
  assert (Hyes : forall (P : Prop) q, P -> ((exists p', @inl progress fault q = inl p') <-> None = @None fault /\ true = true /\ P)).
  { intros P q HP. split; [auto | intros _; eauto]. }
  assert (Hno : forall (P : Prop) why, ~ P -> ((exists p', @inr progress fault why = inl p') <-> None = @None fault /\ true = true /\ P)).
  { intros P why HP. split; [intros (p' & H); discriminate | tauto]. }
  destruct a as [x | x | x | x | m | m | m | m | m | m | b | b | o x | o x | o x | o | u | u | |];
    try (apply Hyes; exact I).
  - destruct (PM.is_empty (readers (lock_in p m))) eqn:Er.
    + rewrite (empty_readers _ _ _ F) in Er. destruct (owner (lock_in p m)) as [[u d] |] eqn:Eo.
      * destruct (Pos.eqb_spec u t) as [-> | Hne].
        -- apply Hyes. split; [| assumption]. intros u Hu. eapply owner_other; eauto.
        -- apply Hno. intros [H _]. destruct (owner_some _ _ _ _ _ F Eo). specialize (H u Hne). lia.
      * apply Hyes. split; [| assumption]. intros u _. rewrite (owner_none _ _ _ F) in Eo. apply Eo.
    + apply Hno. intros [_ H]. rewrite <- (empty_readers _ _ _ F) in H. congruence.
  - destruct (owner (lock_in p m)) as [[u d] |] eqn:Eo.
    + destruct (Pos.eqb_spec u t) as [-> | Hne].
      * apply Hyes. destruct (owner_some _ _ _ _ _ F Eo). lia.
      * apply Hno. rewrite (owner_other _ _ _ _ _ _ F Eo Hne). lia.
    + apply Hno. rewrite (owner_none _ _ _ F) in Eo. rewrite Eo. lia.
  - destruct (owner (lock_in p m)) as [[u d] |] eqn:Eo.
    + apply Hno. intro H. destruct (owner_some _ _ _ _ _ F Eo). specialize (H u). lia.
    + apply Hyes. now rewrite (owner_none _ _ _ F) in Eo.
  - rewrite (follows_shared _ _ F). destruct (count_in t (readers (lock_in p m))); [apply Hno | apply Hyes]; lia.
  - destruct (owner (lock_in p m)) as [[u d] |] eqn:Eo.
    + destruct (Pos.eqb_spec u t) as [-> | Hne].
      * apply Hyes. destruct (owner_some _ _ _ _ _ F Eo). lia.
      * apply Hno. rewrite (owner_other _ _ _ _ _ _ F Eo Hne). lia.
    + apply Hno. rewrite (owner_none _ _ _ F) in Eo. rewrite Eo. lia.
  - destruct (fst (phase_in p t)) as [| | | k | |] eqn:Ep; try (apply Hno; intros [H _]; congruence).
    simpl in Ephase. destruct (Pos.eqb_spec m k) as [-> | _]; [| discriminate].
    destruct (PM.is_empty (readers (lock_in p k))) eqn:Er.
    + rewrite (empty_readers _ _ _ F) in Er. destruct (owner (lock_in p k)) as [[u d] |] eqn:Eo.
      * apply Hno. intros [_ H]. destruct (owner_some _ _ _ _ _ F Eo). destruct (H u). lia.
      * apply Hyes. rewrite (owner_none _ _ _ F) in Eo. auto.
    + apply Hno. intros [_ H]. apply not_true_iff_false in Er. apply Er. apply (empty_readers _ _ _ F). intro u. apply H.
  - rewrite (follows_pending _ _ F). destruct (count_in b (arrived_of p t)); [apply Hno | apply Hyes]; lia.
  - rewrite <- (follows_phase _ _ F). destruct (Pos.eqb_spec u t) as [-> | Hne]; [apply Hno; tauto |].
    destruct (fst (phase_in p u)); (apply Hyes; auto) || (apply Hno; intros [_ H]; discriminate).
  - rewrite <- (follows_phase _ _ F). destruct (Pos.eqb_spec u t) as [-> | Hne]; [apply Hno; tauto |].
    destruct (fst (phase_in p u)) as [| | | k | |];
      (apply Hyes; split; [assumption | intros; discriminate]) || (apply Hno; intros [_ H]; now apply (H k)).
Qed.

(** ** The state goes along *)

Ltac tests :=
  repeat match goal with
  | |- context [Pos.eqb ?a ?b] => destruct (Pos.eqb_spec a b); subst
  | H : context [Pos.eqb ?a ?b] |- _ => destruct (Pos.eqb_spec a b); subst
  end.

(** The effect of an allowed event on the state, case by case. *)
Ltac unfold_allow H :=
  unfold allow in H; simpl in H;
  repeat match type of H with
  | match ?x with _ => _ end = inl _ => destruct x eqn:?; try discriminate
  end;
  try (injection H as <-).

Lemma keeps_phase p tr e p' t :
  follows p tr -> allow p e = inl p' -> fst (phase_in p' t) = phase_of (tr ++ [e]) t.
Proof.
  intros F H. rewrite phase_of_snoc, <- (follows_phase _ _ F). destruct e as [s a]. unfold phase_step. simpl.
  destruct a; unfold_allow H; autorewrite with lookups; tests; simpl; congruence.
Qed.

Lemma depth_other_thread tr e t m : thread e <> t -> depth (tr ++ [e]) t m = depth tr t m /\ saved (tr ++ [e]) t m = saved tr t m.
Proof.
  intro H. unfold depth, saved. rewrite depths_snoc. unfold depth_step.
  destruct (Pos.eqb_spec (thread e) t); [contradiction | auto].
Qed.

Lemma waits_for_it p tr t m k :
  follows p tr -> fst (phase_in p t) = Waiting k -> refusal_of (Waiting k) (Wake m) = None ->
  m = k /\ snd (phase_in p t) = saved tr t m /\ 0 < saved tr t m.
Proof.
  intros F Hp Hr. simpl in Hr. destruct (Pos.eqb_spec m k) as [-> |]; [| discriminate].
  split; [reflexivity |]. apply (follows_saved _ _ F). now rewrite <- (follows_phase _ _ F).
Qed.

Lemma keeps_depth p tr e p' t m :
  follows p tr -> allow p e = inl p' ->
  depth (tr ++ [e]) t m = match owner (lock_in p' m) with Some (u, d) => if Pos.eqb u t then d else 0 | None => 0 end.
Proof.
  intros F H. destruct e as [s a].
  assert (Hold : depth tr t m = match owner (lock_in p m) with Some (u, d) => if Pos.eqb u t then d else 0 | None => 0 end)
    by apply (follows_depth _ _ F).
  assert (Hsaved : forall k, fst (phase_in p s) = Waiting k -> refusal_of (Waiting k) (Wake m) = None ->
    snd (phase_in p s) = snd (depths tr s m)) by (intros k H1 H2; apply (waits_for_it p tr s m k F H1 H2)).
  unfold depth in *. rewrite depths_snoc. unfold depth_step. simpl.
  destruct a; unfold_allow H; autorewrite with lookups; simpl;
    destruct (Pos.eqb_spec s t) as [-> | Hne]; try exact Hold;
    match goal with |- context [Pos.eqb ?k m] => destruct (Pos.eqb_spec k m) as [-> | _] end; simpl; try exact Hold;
    repeat match goal with Ho : owner _ = _ |- _ => rewrite Ho in Hold end; rewrite ?Pos.eqb_refl in *; try congruence;
    repeat match goal with
    | Ht : true = Pos.eqb _ _ |- _ => symmetry in Ht
    | Ht : Pos.eqb _ _ = true |- _ => apply Pos.eqb_eq in Ht; subst
    end; rewrite ?Pos.eqb_refl in *;
    try (rewrite (proj2 (Pos.eqb_neq s t) Hne) in * );
    try congruence.
  - rewrite Hold. destruct n as [| [|]]; simpl; rewrite ?Pos.eqb_refl; reflexivity.
  - rewrite Hold. destruct n as [| [|]]; simpl; rewrite ?(proj2 (Pos.eqb_neq s t) Hne); reflexivity.
  - symmetry. eapply Hsaved; [reflexivity | eassumption].
Qed.

Lemma keeps_owner p tr e p' m u d : follows p tr -> allow p e = inl p' -> owner (lock_in p' m) = Some (u, d) -> 0 < d.
Proof.
  intros F H. destruct e as [s a]. pose proof (follows_owner _ _ F m u d) as Hold.
  destruct a; unfold_allow H; autorewrite with lookups; simpl; try exact Hold;
    match goal with |- context [Pos.eqb ?k m] => destruct (Pos.eqb_spec k m) as [-> | _] end; simpl; try exact Hold;
    try (intros [= <- <-]; lia); try discriminate.
  - destruct n as [| [|]]; try discriminate. intros [= <- <-]. lia.
  - destruct (waits_for_it p tr s m m1 F) as (_ & Hs & Hl); [assumption | assumption |]. intros [= <- <-]. lia.
Qed.

Lemma keeps_saved p tr e p' t m :
  follows p tr -> allow p e = inl p' -> phase_of (tr ++ [e]) t = Waiting m ->
  snd (phase_in p' t) = saved (tr ++ [e]) t m /\ 0 < saved (tr ++ [e]) t m.
Proof.
  intros F H Hp. destruct e as [s a]. rewrite phase_of_snoc in Hp. unfold phase_step in Hp. simpl in Hp.
  destruct (Pos.eqb_spec s t) as [-> | Hne].
  - destruct a; try discriminate. injection Hp as ->. unfold_allow H. autorewrite with lookups.
    match goal with Ht : Pos.eqb _ _ = true |- _ => apply Pos.eqb_eq in Ht; subst end. rewrite Pos.eqb_refl. simpl.
    unfold saved. rewrite depths_snoc. unfold depth_step. simpl. rewrite !Pos.eqb_refl. simpl.
    destruct (owner_some _ _ _ _ _ F Heqo0) as [Hd Hpos]. unfold depth in Hd. split; congruence || lia.
  - rewrite (proj2 (depth_other_thread tr (Event s a) t m Hne)).
    assert (Hw : phase_of tr t = Waiting m) by (destruct a; try exact Hp; destruct (Pos.eqb u t); (exact Hp || discriminate)).
    destruct (follows_saved _ _ F t m Hw) as [H1 H2]. split; [| assumption]. rewrite <- H1.
    destruct a; unfold_allow H; autorewrite with lookups; rewrite ?(proj2 (Pos.eqb_neq s t) Hne); try reflexivity;
      destruct (Pos.eqb_spec u t) as [-> |]; (discriminate || reflexivity).
Qed.

Lemma keeps_shared p tr e p' t m :
  follows p tr -> allow p e = inl p' -> shared (tr ++ [e]) t m = count_in t (readers (lock_in p' m)).
Proof.
  intros F H. destruct e as [s a]. pose proof (follows_shared _ _ F t m) as Hold.
  rewrite shared_snoc. unfold shared_step. simpl.
  destruct a; unfold_allow H; autorewrite with lookups;
    destruct (Pos.eqb_spec s t) as [-> | Hne]; try exact Hold;
    match goal with |- context [Pos.eqb ?k m] => destruct (Pos.eqb_spec k m) as [-> | _] end;
    autorewrite with lookups; rewrite ?Pos.eqb_refl, ?(proj2 (Pos.eqb_neq s t) Hne); try exact Hold; rewrite Hold;
    try match goal with Hn : count_in _ _ = S _ |- _ => rewrite Hn end; reflexivity.
Qed.

Lemma keeps_readers p tr e p' t m :
  follows p tr -> allow p e = inl p' -> PM.find t (readers (lock_in p' m)) <> Some 0.
Proof.
  intros F H. destruct e as [s a]. pose proof (follows_readers _ _ F t m) as Hold.
  destruct a; unfold_allow H; autorewrite with lookups; simpl; try exact Hold;
    match goal with |- context [Pos.eqb ?k m] => destruct (Pos.eqb_spec k m) as [-> | _] end; try exact Hold;
    apply readers_not_zero; intro u; apply (follows_readers _ _ F).
Qed.

Lemma keeps_pending p tr e p' t b :
  follows p tr -> allow p e = inl p' -> pending (tr ++ [e]) t b = count_in b (arrived_of p' t).
Proof.
  intros F H. destruct e as [s a]. pose proof (follows_pending _ _ F t b) as Hold.
  rewrite pending_snoc. unfold pending_step. simpl.
  destruct a; unfold_allow H; autorewrite with lookups; simpl;
    destruct (Pos.eqb_spec s t) as [-> | Hne]; try exact Hold; autorewrite with lookups;
    match goal with |- context [Pos.eqb ?k b] => destruct (Pos.eqb_spec k b) as [-> | _] end; try exact Hold; rewrite Hold;
    try match goal with Hn : count_in _ _ = S _ |- _ => rewrite Hn end; reflexivity.
Qed.

Lemma allow_follows p tr e p' : follows p tr -> allow p e = inl p' -> follows p' (tr ++ [e]).
Proof.
  intros F H. split; intros.
  - eapply keeps_phase; eassumption.
  - eapply keeps_saved; eassumption.
  - eapply keeps_depth; eassumption.
  - eapply keeps_owner; eassumption.
  - eapply keeps_shared; eassumption.
  - eapply keeps_readers; eassumption.
  - eapply keeps_pending; eassumption.
Qed.

(** ** A whole trace *)

Fixpoint check_from (p : progress) (tr : trace) (i : nat) : option (nat * fault) :=
  match tr with
  | [] => None
  | e :: rest =>
      match allow p e with
      | inl p' => check_from p' rest (S i)
      | inr why => Some (i, why)
      end
  end.

Definition check_trace (tr : trace) : option (nat * fault) := check_from no_progress tr 0.

Lemma check_from_is_right p done tr :
  follows p done -> well_formed done ->
  match check_from p tr (length done) with
  | None => well_formed (done ++ tr)
  | Some (i, _) => exists e, nth_error (done ++ tr) i = Some e /\ well_formed (firstn i (done ++ tr)) /\
                             ~ legal (firstn i (done ++ tr)) e
  end.
Proof.
  revert p done. induction tr as [| e tr IH]; intros p done F Hw; simpl.
  - now rewrite app_nil_r.
  - pose proof (allow_is_legal p done e F) as Hl. destruct (allow p e) as [p' | why] eqn:E.
    + specialize (IH p' (done ++ [e]) (allow_follows _ _ _ _ F E)).
      rewrite app_length in IH. simpl in IH. rewrite Nat.add_1_r, <- app_assoc in IH. apply IH.
      apply well_formed_snoc. split; [assumption | apply Hl; eauto].
    + assert (Hf : firstn (length done) (done ++ e :: tr) = done)
        by (rewrite firstn_app, Nat.sub_diag, firstn_all; simpl; apply app_nil_r).
      exists e. rewrite nth_error_app2, Nat.sub_diag, Hf by lia. split; [reflexivity |]. split; [assumption |].
      intro H. apply Hl in H as (p' & H). discriminate.
Qed.

Theorem check_trace_is_right tr :
  match check_trace tr with
  | None => well_formed tr
  | Some (i, _) => exists e, nth_error tr i = Some e /\ well_formed (firstn i tr) /\ ~ legal (firstn i tr) e
  end.
Proof. apply (check_from_is_right no_progress [] tr follows_nil well_formed_nil). Qed.
