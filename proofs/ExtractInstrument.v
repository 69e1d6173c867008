(** * Extraction of the instrumentation

    Writes instrument_core.ml into the folder in which it is compiled.  Natural numbers become OCaml's [int]; that step is trusted,
    not proved. *)

From Coq Require Import Extraction ExtrOcamlBasic ExtrOcamlNatInt.
From Omen Require Import Instrument ProgramCheck.

Set Warnings "-extraction-opaque-accessed".
Extraction Language OCaml.
Extraction "instrument_core.ml" instrument check_program threads_of.
