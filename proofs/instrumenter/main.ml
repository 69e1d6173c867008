(* omen-proved-instrument: reads programs of the small language's core, and prints them as the proved instrumentation transforms them.

   The instrumentation, and the check that the program is one that the theorems are about, come from Instrument_core, which is
   extracted from Coq (Instrument.v, ProgramCheck.v).  The parts written by hand here, and so trusted, read and print.

   A program has one instruction per line; the body of a spawned thread is between `spawn N` and `end`:

     assign aN E | load aN xN | store E xN | lock mN | unlock mN | spawn N ... end | wait N | assert E E

   An expression E is a number, aN, or ( E + E ) with spaces between.  Instrumented code also has tmp1 and tmp2, max ( E , E ), the
   cells C[t,u] L[m,u] R[x,u] W[x,u], and the locks X[x].  Threads are numbered from 1, the main thread. *)

open Instrument_core

exception Bad_input of string

let rec positive_of_int n =
  if n = 1 then XH else if n land 1 = 0 then XO (positive_of_int (n / 2)) else XI (positive_of_int (n / 2))

let rec int_of_positive = function XH -> 1 | XO p -> 2 * int_of_positive p | XI p -> (2 * int_of_positive p) + 1

(* Reading *)

type reader = { path : string; mutable line : int; mutable lines : string list }

let bad_end reader expected found =
  raise (Bad_input (Printf.sprintf "%s:%d: expected %s, found %s" reader.path reader.line expected found))

let bad reader expected found = bad_end reader expected ("'" ^ found ^ "'")

let number reader what text =
  match int_of_string_opt text with
  | Some n when n > 0 && String.for_all (fun c -> c >= '0' && c <= '9') text -> positive_of_int n
  | _ -> bad reader what text

(* x12, with the letter given. *)
let name reader letter what text =
  if String.length text < 2 || text.[0] <> letter then bad reader what text;
  number reader what (String.sub text 1 (String.length text - 1))

(* An expression at the head of a list of words, and the words after it. *)
let rec expression reader words =
  match words with
  | "(" :: rest -> (
      match expression reader rest with
      | left, "+" :: rest -> (
          match expression reader rest with
          | right, ")" :: rest -> (Plus (left, right), rest)
          | _, found -> bad reader "')'" (String.concat " " found))
      | _, found -> bad reader "'+'" (String.concat " " found))
  | word :: rest when String.length word > 1 && word.[0] = 'a' ->
      (Local (Own (name reader 'a' "a local variable" word)), rest)
  | word :: rest -> (
      match int_of_string_opt word with
      | Some n when n >= 0 -> (Num n, rest)
      | _ -> bad reader "an expression" word)
  | [] -> bad reader "an expression" ""

let local reader text = Own (name reader 'a' "a local variable" text)
let shared reader text = Shared (name reader 'x' "a shared variable" text)
let lock_name reader text = User (name reader 'm' "a lock" text)

let next reader =
  match reader.lines with
  | [] -> None
  | text :: rest ->
      reader.line <- reader.line + 1;
      reader.lines <- rest;
      Some text

(* Instructions up to `end`, or to a line `---`, or to the end of the input. *)
let rec instructions reader ~nested =
  match next reader with
  | None -> if nested then bad_end reader "'end'" "the end of the input" else []
  | Some text -> (
      match List.filter (fun word -> word <> "") (String.split_on_char ' ' (String.trim text)) with
      | [] -> instructions reader ~nested
      | [ "---" ] when not nested -> []
      | [ "end" ] when nested -> []
      | words ->
          let i = instruction reader words in
          i :: instructions reader ~nested)

and instruction reader words =
  let whole words expected (value, rest) = if rest = [] then value else bad reader expected (String.concat " " words) in
  match words with
  | "assign" :: a :: e -> Assign (local reader a, whole words "assign aN E" (expression reader e))
  | [ "load"; a; x ] -> Load (local reader a, shared reader x)
  | "store" :: rest -> (
      match expression reader rest with
      | e, [ x ] -> Store (e, shared reader x)
      | _ -> bad reader "store E xN" (String.concat " " words))
  | [ "lock"; m ] -> Lock (lock_name reader m)
  | [ "unlock"; m ] -> Unlock (lock_name reader m)
  | [ "spawn"; u ] ->
      let u = number reader "the number of a thread" u in
      let body = instructions reader ~nested:true in
      Spawn (u, body)
  | [ "wait"; u ] -> Wait (number reader "the number of a thread" u)
  | "assert" :: rest ->
      let left, rest = expression reader rest in
      Assert (left, whole words "assert E E" (expression reader rest))
  | _ -> bad reader "an instruction" (String.concat " " words)

(* Printing *)

let local_text = function Own a -> "a" ^ string_of_int (int_of_positive a) | Tmp1 -> "tmp1" | Tmp2 -> "tmp2"

let rec expression_text = function
  | Num n -> string_of_int n
  | Local a -> local_text a
  | Plus (e, f) -> Printf.sprintf "( %s + %s )" (expression_text e) (expression_text f)
  | Max (e, f) -> Printf.sprintf "max ( %s , %s )" (expression_text e) (expression_text f)

let pair letter a b = Printf.sprintf "%s[%d,%d]" letter (int_of_positive a) (int_of_positive b)

let cell_text = function
  | Shared x -> "x" ^ string_of_int (int_of_positive x)
  | ThreadClock (t, u) -> pair "C" t u
  | LockClock (m, u) -> pair "L" m u
  | ReadClock (x, u) -> pair "R" x u
  | WriteClock (x, u) -> pair "W" x u

let mutex_text = function
  | User m -> "m" ^ string_of_int (int_of_positive m)
  | Guard x -> Printf.sprintf "X[%d]" (int_of_positive x)

let rec print_code code = List.iter print_instruction code

and print_instruction = function
  | Assign (a, e) -> Printf.printf "assign %s %s\n" (local_text a) (expression_text e)
  | Load (a, l) -> Printf.printf "load %s %s\n" (local_text a) (cell_text l)
  | Store (e, l) -> Printf.printf "store %s %s\n" (expression_text e) (cell_text l)
  | Lock m -> Printf.printf "lock %s\n" (mutex_text m)
  | Unlock m -> Printf.printf "unlock %s\n" (mutex_text m)
  | Spawn (u, body) ->
      Printf.printf "spawn %d\n" (int_of_positive u);
      print_code body;
      print_endline "end"
  | Wait u -> Printf.printf "wait %d\n" (int_of_positive u)
  | Assert (e, f) -> Printf.printf "assert %s %s\n" (expression_text e) (expression_text f)

let answer program =
  Printf.printf "program %s threads %d\n"
    (if check_program program then "well-formed" else "ill-formed")
    (List.length (threads_of program));
  print_code (instrument program);
  print_endline "---"

let read_lines channel =
  let rec go lines = match input_line channel with line -> go (line :: lines) | exception End_of_file -> List.rev lines in
  go []

let read_path path =
  if path = "-" then read_lines stdin
  else
    let channel = try open_in_bin path with Sys_error why -> raise (Bad_input (why ^ ": expected a readable file")) in
    Fun.protect ~finally:(fun () -> close_in_noerr channel) (fun () -> read_lines channel)

let usage =
  "usage: omen-proved-instrument FILE | -\n\
   Instruments each core program of a batch, with a line '---' between them; after each, prints a line '---'.\n\
   Exit codes: 0 done, 64 bad usage, 65 bad input.\n"

let () =
  match List.tl (Array.to_list Sys.argv) with
  | [ "--help" ] -> print_string usage
  | [ path ] when path = "-" || path = "" || path.[0] <> '-' -> (
      try
        let reader = { path; line = 0; lines = read_path path } in
        while reader.lines <> [] do
          answer (instructions reader ~nested:false)
        done
      with Bad_input why ->
        flush stdout;
        prerr_endline ("omen-proved-instrument: " ^ why);
        exit 65)
  | _ ->
      prerr_string usage;
      exit 64
