(** * Extraction

    Writes judge_core.ml into the folder in which it is compiled.  Numbers ([nat]: clock values and event indices) become
    OCaml's [int]; that step is trusted, not proved.  Identifiers ([positive]) and maps are extracted as they are. *)

From Coq Require Import Extraction ExtrOcamlBasic ExtrOcamlNatInt.
From Omen Require Import Judge Witness.

Set Warnings "-extraction-opaque-accessed".
Extraction Language OCaml.
Extraction "judge_core.ml" judge racy_events check_lw check_ca.
