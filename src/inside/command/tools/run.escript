#!/usr/bin/env escript
%% escript itself takes the first line of a program for a header, whatever is in it. This runs `main/1` of a program as it
%% stands: with or without `-module`, with or without a `#!` line, and with its own line numbers in messages.

main(["check", File]) -> load(File);
main(["run", File | Args]) ->
  Module = load(File),
  try Module:main(Args) of
    _ -> ok
  catch
    Class:Reason:Stack ->
      Own = [Frame || {M, _, _, _} = Frame <- Stack, M =:= Module],
      Text = erl_error:format_exception(Class, Reason, Own),
      io:format(standard_error, "~ts~n", [Text]),
      halt(127)
  end.

load(File) ->
  {ok, Bytes} = file:read_file(File),
  Source = source(File, Bytes),
  {ok, Forms} = epp:parse_file(Source, [{includes, ["."]}, {source_name, File}]),
  case compile:forms(complete(Forms), [return_errors, export_all, nowarn_export_all, debug_info]) of
    {ok, Module, Binary} ->
      {module, Module} = code:load_binary(Module, File, Binary),
      Module;
    {error, Errors, _} ->
      [tell(File, Error) || {_, Found} <- Errors, Error <- Found],
      halt(127)
  end.

%% A header line stays in its place as a comment.
source(_, <<"#!", Rest/binary>>) ->
  Copy = filename:join(os:getenv("TMPDIR", "/tmp"), ".program.erl"),
  ok = file:write_file(Copy, ["%%", Rest]),
  Copy;
source(File, _) -> File.

complete(Forms) ->
  case [M || {attribute, _, module, M} <- Forms] of
    [] ->
      {Files, Rest} = lists:splitwith(fun(Form) -> element(1, Form) =:= attribute andalso element(3, Form) =:= file end, Forms),
      Files ++ [{attribute, 1, module, main} | Rest];
    _ -> Forms
  end.

tell(File, {{Line, Column}, Module, Reason}) ->
  io:format(standard_error, "~ts:~w:~w: ~ts~n", [File, Line, Column, Module:format_error(Reason)]);
tell(File, {Line, Module, Reason}) ->
  io:format(standard_error, "~ts:~w: ~ts~n", [File, Line, Module:format_error(Reason)]).
