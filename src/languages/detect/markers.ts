/**
 * Signs by which a reader tells one language from its relatives, where the statistics of the model are thin or two
 * languages share most of their words. `speaks` is added to the language's score, in the model's own scale:
 * 1 is a hint, 3 settles a doubt, 6 is as good as a name; a negative number speaks against it.
 */
export interface Marker {
  readonly pattern: RegExp;
  readonly speaks: Readonly<Record<string, number>>;
  /** As `detect` shows it. */
  readonly says: string;
}

export const MARKERS: readonly Marker[] = [
  // The C family
  m(/^\s*#\s*include\s*<\w+(?:\.h)?>|^\s*#\s*include\s*"/m, { c: 2, cpp: 2 }, '#include'),
  m(
    /^\s*#\s*include\s*<(?:iostream|vector|string|map|set|memory|algorithm|utility|functional|array|tuple|optional|sstream|iomanip|unordered_\w+|stdexcept|c(?:std\w+|math|ctype|string|assert))>/m,
    { cpp: 5, c: -5 },
    'a C++ header',
  ),
  m(/^\s*#\s*include\s*<(?:stdio|stdlib|string|stdbool|stdint|ctype|assert|unistd)\.h>/m, { c: 2 }, 'a C header'),
  m(
    /\bstd::\w|\btemplate\s*<|\bnamespace\s+[\w:]+\s*\{|\b(?:static|dynamic|const|reinterpret)_cast</,
    { cpp: 4, c: -4 },
    'std::, templates or namespaces',
  ),
  m(/^\s*(?:public|private|protected)\s*:\s*$/m, { cpp: 3, c: -3 }, 'an access label'),
  m(
    /\b\w+::~?\w+\s*\([^;{]*\)\s*(?:const\s*)?(?:noexcept\s*)?(?::[^:{]*)?\{/,
    { cpp: 2, c: -2 },
    'a member defined outside its class',
  ),
  m(/\b(?:malloc|calloc|free|strlen|strcpy|memcpy|printf|sizeof)\s*\(/, { c: 1.5, cpp: 0.5 }, 'C library calls'),
  m(/\b(?:class|using|nullptr|auto|constexpr|virtual|override|delete)\b[^\n]*;/, { cpp: 0.7, c: -0.7 }, 'C++ words'),
  m(
    /^\s*using\s+System\b|^\s*namespace\s+[\w.]+\s*(?:;|\{|$)(?![\s\S]*std::)/m,
    { csharp: 2 },
    'using System or a namespace',
  ),
  m(
    /\bConsole\.(?:Write|Read)|\bstring\.(?:IsNullOr|Join|Format)|\bIEnumerable<|\{\s*get;/,
    { csharp: 4 },
    'the .NET library',
  ),
  m(
    /^\s*(?:public|internal|private)\s+(?:static\s+|sealed\s+|partial\s+|abstract\s+)*(?:class|record|struct|enum|interface)\s+\w+/m,
    { csharp: 1, java: 1 },
    'a modified class',
  ),
  m(/^\s*(?:public|private|internal)[^\n(]*\(this\s+\w/m, { csharp: 4 }, 'an extension method'),
  m(/^\s*import\s+(?:static\s+)?(?:java|javax|org|com)\.[\w.*]+;/m, { java: 4 }, 'import java…;'),
  m(/^\s*package\s+[\w.]+;\s*$/m, { java: 3, perl: -1 }, 'package …;'),
  m(
    /\bSystem\.out\.print|\bpublic\s+static\s+void\s+main\s*\(\s*(?:final\s+)?String/,
    { java: 4 },
    'System.out or main(String[])',
  ),
  m(
    /^\s*import\s+(?:java|kotlin|groovy|scala|javax|org|com)\.[\w.*]+\s*$/m,
    { kotlin: 1, groovy: 1, scala: 1, java: -3 },
    'an import without semicolon',
  ),
  m(
    /^\s*(?:(?:private|public|internal|override|inline|suspend|operator|infix|tailrec|open|abstract|data)\s+)*fun\s+(?:<[^>]+>\s*)?(?:[\w<>?, ]+\.)?[\w`][^(\n]*\(/m,
    { kotlin: 4, fish: -1, nim: 0 },
    'fun name(',
  ),
  m(/\bwhen\s*(?:\([^)]*\)\s*)?\{[^}]*->/, { kotlin: 3 }, 'when { … -> }'),
  m(
    /\bdata class\b|\bcompanion object\b|\bobject\s+\w+\s*\{[^}]*\bfun\b|\?\.let\b|\bval\s+\w+\s+by\b/,
    { kotlin: 4 },
    'Kotlin classes',
  ),
  m(/\benum\s+class\s+\w+[^{};]*\{[^;]*\}\s*$/, { kotlin: 3 }, 'enum class'),
  m(/\b(?:listOf|mapOf|mutableListOf|setOf|arrayOf|require|check)\s*[({<]/, { kotlin: 1.5 }, 'Kotlin collections'),
  m(
    /^\s*(?:(?:private|override|implicit|final|protected)\s+)*def\s+[\w+\-*/<>=:!?~^|&%]+(?:\[[^\]]*\])?\s*(?:\([^)]*\)\s*)*(?::\s*[\w[\]., =>()]+)?\s*=/m,
    { scala: 4, groovy: -1 },
    'def … =',
  ),
  m(
    /\bcase class\b|\bobject\s+\w+\s*(?:extends\b|\{|:)|\bextends\s+\w+\s+with\b|\bmatch\s*\{\s*case\b|\btrait\s+\w+\s*(?:\{|extends|:)/,
    { scala: 2 },
    'Scala classes',
  ),
  m(/^\s*(?:static\s+)?def\s+\w+\s*(?:=|\([^)]*\)\s*\{)/m, { groovy: 3, scala: -1 }, 'def with braces'),
  m(/\bprintln\s+["'\w]/, { groovy: 1.5 }, 'println without parentheses'),
  m(/\.(?:collect|each|inject|findAll|every|any)\s*(?:\([^)]*\)\s*)?\{/, { groovy: 2.5 }, 'closures on collections'),
  m(/\bimport\s+['"](?:package|dart):/, { dart: 6 }, 'a Dart import'),
  m(
    /^\s*(?:final|const|late|static)\s+(?:final\s+)?(?:int|double|String|bool|List|Map|Set|num|var)?(?:<[^>]*>)?\??\s*_?\w+\s*(?:=|;)/m,
    { dart: 1.5 },
    'final … =',
  ),
  m(
    /\b(?:int|double|String|bool|num|void|List<\w+>|Map<[^>]*>|Iterable<\w+>)\??\s+(?:get\s+)?\w+\s*(?:\([^)]*\))?\s*(?:async\s*)?=>/,
    { dart: 5 },
    'a typed arrow member',
  ),
  m(
    /\brequired\s+this\.|\b\w+\(this\.\w+|\bvoid main\(\)\s*(?:async\s*)?(?:\{|=>)/,
    { dart: 4 },
    'this.field in a constructor, or main()',
  ),
  m(
    /\bString\s+\w+\([^)]*\)\s*\{|\bList<\w+>\s+\w+\s*\(|\bfor\s*\((?:var|final|int|String)\s+\w+\s+in\b/,
    { dart: 1.5 },
    'Dart functions',
  ),

  // JavaScript and what is close to it
  m(/\b(?:const|let)\s+[\w{[][^=\n]*=|===|!==/, { javascript: 1.5, typescript: 1.5, dart: -1 }, 'const, let, ==='),
  m(/\bconsole\.(?:log|error|warn|table)\(/, { javascript: 4, typescript: 3.5, coffeescript: 1 }, 'console.log'),
  m(
    /^\s*(?:export\s+)?(?:default\s+)?(?:async\s+)?function\s*\*?\s*\w*\s*\(/m,
    { javascript: 1, typescript: 0.5 },
    'function',
  ),
  m(
    /^\s*export\s+(?:const|default|class|function|async|\{)|^\s*import\s+[\w{*][^\n]*from\s*['"]|\bmodule\.exports\b|\brequire\(['"]/m,
    { javascript: 2, typescript: 2, dart: -2 },
    'export, import or require',
  ),
  m(
    /^\s*(?:export\s+)?(?:declare\s+)?(?:interface\s+\w+(?:<[^>]*>)?\s*(?:extends[^{]*)?\{|type\s+\w+(?:<[^=]*>)?\s*=|enum\s+\w+\s*\{)/m,
    { typescript: 2.5, javascript: -4 },
    'interface, type or enum',
  ),
  m(
    /[\w)\]?]\s*:\s*(?:string|number|boolean|any|unknown|void|never|Array<|Record<|Map<|Promise<|ReadonlyArray<|(?:string|number|boolean|\w+)\[\])\s*[,;)=|{&\]>]|\bas\s+(?:const|string|number|any|unknown)\b/,
    { typescript: 4, javascript: -4 },
    'type annotations',
  ),
  m(
    /^\s*(?:public|private|protected|readonly|static)\s+(?:static\s+|readonly\s+|async\s+|get\s+)?#?\w+\s*(?:\(|[?!]?:)/m,
    { typescript: 1.5, javascript: -1 },
    'member modifiers',
  ),
  m(/^[^\n#]*(?:->|=>)\s*$|^\s*\w+\s*[:=]\s*(?:\([^)]*\)\s*)?(?:->|=>)/m, { coffeescript: 1 }, 'functions by arrows'),
  m(
    /^\s*(?:class\s+@?\w+\s*$|@?\w+\s*[:=]\s*\([^)]*\)\s*[-=]>)|\b(?:unless|then|isnt|is)\b[^\n]*@\w+|\bmodule\.exports\s*=\s*\w+$/m,
    { coffeescript: 2 },
    'CoffeeScript classes',
  ),

  // Scripting
  m(
    /^\s*(?:async\s+)?def\s+\w+\s*\([^)]*\)\s*(?:->[^:\n]+)?:\s*(?:#.*)?$/m,
    { python: 4, crystal: -3, ruby: -3 },
    'def …:',
  ),
  m(
    /^\s*(?:if|elif|else|for|while|try|except|with|class)\b[^\n{};]*:\s*(?:#.*)?$/m,
    { python: 1.5, nim: 0.5 },
    'blocks by colons',
  ),
  m(
    /^from\s+[\w.]+\s+import\s|^\s*if\s+__name__\s*==|\bself\.\w+\s*=|\b(?:elif|lambda\s+\w+:|yield from|raise \w+)\b/m,
    { python: 2, nim: -1 },
    'Python words',
  ),
  m(
    /^\s*(?:def\s+(?:self\.)?[\w?!=<>+\-*/[\]]+|class\s+[A-Z]\w*(?:\s*<\s*[\w:]+)?|module\s+[A-Z]\w*)[^\n{:=]*$[\s\S]*^\s*end\b/m,
    { ruby: 2, crystal: 2, julia: -2 },
    'def or class to end',
  ),
  m(
    /\battr_(?:reader|accessor|writer)\b|^\s*require(?:_relative)?\s+['"]|\bmodule_function\b|\.freeze\b|\bdo\s*\|[^|\n]+\|\s*$/m,
    { ruby: 1.5 },
    'Ruby words',
  ),
  m(/'(?:[^'\\\n]{2,})'/, { crystal: -3 }, 'strings in single quotes'),
  m(
    /\bdef\s+(?:self\.)?\w+[?!]?\s*\([^)]*\w+\s+:\s+[A-Z][^)]*\)|\)\s*:\s+[A-Z]\w*(?:\([^)]*\))?\s*$|\b(?:property|getter|setter)\??\s+\w+|\b(?:Int32|UInt8|Int64|Float64)\b|\b(?:Array|Hash|Set)\([A-Z]/m,
    { crystal: 4, ruby: -2 },
    'Crystal types',
  ),
  m(/\|\s*(?:&\.|\w+\|)|\(&\.\w+/, { crystal: 1 }, 'short blocks'),
  m(/\(&:\w+[?!]?\)|\bputs\s|\b\w+\.each\s+do\b|=>\s*e\b/, { ruby: 1 }, 'Ruby blocks'),
  m(/<\?php\b/i, { php: 8 }, '<?php'),
  m(
    /\$this->|\bfunction\s+\w+\s*\([^)]*\$\w+|\barray\s*\(|^\s*namespace\s+[\w\\]+;|\$\w+\s*=\s*\[|::class\b/m,
    { php: 3, perl: -1 },
    'PHP variables',
  ),
  m(
    /^\s*use\s+(?:strict|warnings)\s*;|\bmy\s*(?:\(\s*)?[$@%]\w+|\bsub\s+\w+\s*\{|\$_\[|@_\b|=~\s*(?:m|s|tr|y)?[/{|]|\bqw[(/[{]|->\{|\bbless\b/m,
    { perl: 2.5, raku: -0.5 },
    'Perl variables',
  ),
  m(
    /^\s*use\s+(?:strict|warnings|parent|base|lib|utf8|Exporter|List::Util|Moose?)\b|\bmy\s*\([^)]*\)\s*=\s*@_|\bshift\s*;|\$\w+->[[{(\w]|^\s*1;\s*$|\breturn\s+\$self\b/m,
    { perl: 3, raku: -5 },
    'Perl 5 ways',
  ),
  m(
    /^\s*(?:unit\s+)?(?:module|class|role|grammar|package)\s+[\w:-]+(?:\s+(?:is|does)\s+[\w:-]+)*\s*(?:;|\{)[\s\S]*\b(?:sub|method|has|token|rule|multi)\b|^\s*use\s+v6|^\s*(?:unit\s+)?(?:sub|multi|method|submethod)\s+[\w'-]+\s*\([^)]*\)\s*(?:is\s+export\s*)?(?:is\s+\w+\s*)?(?:returns\s+\w+\s*|-->\s*[^{]+)?\{|\bis\s+export\b|\bhas\s+(?:\w+\s+)?[$@%][.!]\w|->\s*[$@%][\w-]+(?:,\s*[$@%][\w-]+)*\s*\{|\bmy\s+(?:Int|Str|Num|Bool|Array|Hash|Set|Rat)\b|[$@%&][.!*]\w+|[»«]|:[DU]\b|\bsay\s|\.(?:comb|words|lines|Int|Str|elems|gist|fmt|flip|subst)\b/m,
    { raku: 4, perl: -2 },
    'Raku signatures and twigils',
  ),
  m(
    /\bfor\s+[^(\n]+->|\bsub\s+[\w'-]+\s*\([^)]*[$@%&][\w-]+[^)]*\)|^\s*(?:if|unless|while|for)\s+[$@%][^\n]*\{\s*$|\bis\s+copy\b/m,
    { raku: 2.5, perl: -2.5 },
    'loops and signatures without parentheses',
  ),
  m(
    /^\s*(?:local\s+)?function\s+[\w.:]+\s*\([^)]*\)\s*(?:--.*)?$|\blocal\s+\w+(?:\s*,\s*\w+)*\s*=|\bthen\s*$[\s\S]*^\s*end\b|\.\.\s*["'\w]|~=|\bipairs\s*\(|\bpairs\s*\(/m,
    { lua: 2, julia: -1 },
    'local, then … end, ..',
  ),
  m(/^\s*return\s+\w+\s*$|\bfunction\s*\([^)]*\)\s*(?:return\b[^\n]*\bend|$)/m, { lua: 0.7 }, 'Lua functions'),
  m(
    /^\s*(?:if|elif|while|until)\s+(?:\[\[?\s|\(\(|!\s*\[)|\bfi\s*$|\besac\b|\$\{\w+[^}]*\}|\$\(\(|\$\(\w|^\s*(?:echo|local|export|readonly|declare|set\s+-\w+)\s|"\$[@\d*#]"|^\s*\w+\s*\(\)\s*\{\s*$/m,
    { bash: 2, zsh: 1 },
    'shell tests and expansions',
  ),
  m(
    /^\s*(?:sudo\s+)?(?:ls|cd|cat|grep|find|mkdir|rm|cp|mv|curl|wget|git|npm|npx|pip|apt-get|chmod|tar|ps|df|du|head|tail|wc|touch|which|export|source|docker|make|uname|whoami|pwd|mcp)(?:\s+[-\w./~$"'*]|\s*$|\s*[|;&>])/,
    { bash: 4, zsh: 1, fish: 1 },
    'begins with a command',
  ),
  m(
    /^\s*(?:if|while)\s+\[\[?\s|\bfi\s*$|\besac\s*$|^\s*done\b/m,
    { bash: 1.5, tcl: -3, fish: -3, perl: -2, ruby: -2 },
    'fi, done, esac',
  ),
  m(
    /^\s*(?:set\s+-[gxlq]+\s|function\s+\S+\s+(?:--?\w|$)|if\s+(?:test|set)\s|for\s+\w+\s+in\s+[^;]*$)[\s\S]*^\s*end\s*$/m,
    { fish: 3 },
    'Fish functions',
  ),
  m(/\b(?:autoload -U|setopt|unsetopt|zstyle|compdef|zmodload|bindkey|emulate -)/, { zsh: 5 }, 'Zsh builtins'),
  m(
    /\$\w+\s*=|\b(?:Get|Set|New|Write|Remove|Add|Import|Invoke|Test|ConvertTo|ConvertFrom|Select|Where|ForEach|Out)-[A-Z]\w+|\bparam\s*\(|\[CmdletBinding|\s-(?:eq|ne|gt|lt|ge|le|like|match|join|split|replace|contains|in|and|or|not)\s|\[(?:string|int|array|hashtable|bool|char)(?:\[\])?\]\s*\$/i,
    { powershell: 0.7 },
    'PowerShell',
  ),
  m(
    /\b(?:Write-(?:Host|Output|Error)|ForEach-Object|Where-Object|New-Object)\b|\[CmdletBinding|^\s*Function\s+[\w-]+\s*(?:\([^)]*\)\s*)?\{|^\s*param\s*\(\s*$|\[(?:string|int|array|hashtable|bool|char|object)(?:\[\])?\]\s*\$\w+/im,
    { powershell: 4, php: -2 },
    'cmdlets and typed parameters',
  ),
  m(/^\s*@?echo\s+off\b|^\s*(?:rem|setlocal|goto|pause)\b|%~?\w+%?|^\s*:\w+\s*$/im, { bat: 1 }, 'batch commands'),
  m(/^\s*@echo\s+off\b|^\s*setlocal\b|^\s*if\s+(?:not\s+)?(?:exist|errorlevel)\b/im, { bat: 5 }, 'echo off, setlocal'),
  m(
    /^\s*BEGIN\s*\{|^\s*END\s*\{|^\s*(?:\/[^/\n]+\/|NR\s*[=<>!]=?\s*\d+|\$\d+\s*[~=!<>]+[^{\n]*)\s*\{|\b(?:NF|NR|FS|OFS|RS)\b|\bgsub\(|\bsubstr\(\$/m,
    { awk: 2.5 },
    'awk rules',
  ),
  m(
    /^\s*proc\s+[\w:]+\s*\{|^\s*proc\s+[\w:]+\s+\w+\s*\{|^\s*set\s+\w+\s+[[\d"{$]|\[(?:llength|lindex|expr|string|dict|list|split|join)\s|\bforeach\s+\S+\s+\$|\bputs\s+(?:-nonewline\s+)?["$[]|^\s*(?:package\s+require|namespace\s+eval)\s/m,
    { tcl: 3.5, perl: -2, awk: -2 },
    'proc, set, [expr',
  ),

  // Compiled, with a shape of their own
  m(/^package\s+\w+\s*$/m, { go: 4 }, 'package name'),
  m(
    /^func\s+(?:\(\w+\s+\*?[\w[\]]+\)\s*)?\w+(?:\[[^\]]*\])?\([^)]*\)\s*(?:\([^)]*\)|[\w.*[\]{}]+)?\s*\{/m,
    { go: 3, swift: -2 },
    'func with Go types',
  ),
  m(
    /\bfmt\.(?:Print|Sprint|Errorf)|^\s*import\s+\(\s*$|\b\w+(?:,\s*\w+)?\s*:=\s*(?:range|make)\b/m,
    { go: 3 },
    'fmt, range, make',
  ),
  m(
    /\bfunc\s+\w+(?:<[^>]*>)?\s*\([^)]*\w\s*:\s*[^)]*\)|\bfunc\s+\w+\s*\(\s*\)\s*(?:throws\s*)?->|\bguard\s+(?:let\s|[^\n]*\belse\s*\{)|\bif\s+let\s+\w+\s*=[^\n]*\{|\b(?:let|var)\s+\w+\s*(?::\s*[\w[\]?<>: ]+)?\s*=(?![^\n]*;\s*$)/,
    { swift: 2, go: -2, rust: -0.5 },
    'func with labelled types, guard, let',
  ),
  m(
    /^\s*import\s+(?:Foundation|UIKit|SwiftUI|Dispatch)\s*$|\bfunc\s+\w+(?:<[^>]*>)?\s*\([^)]*:\s*[^)]*\)\s*(?:throws\s*|async\s*)*(?:->\s*[^{]+)?\{|\b(?:mutating|fileprivate|associatedtype|init\?|inout)\b|\\\(\w/m,
    { swift: 4, go: -4 },
    'Swift declarations',
  ),
  m(
    /\bfn\s+\w+\s*(?:<[^>]*>)?\s*\([^)]*\)\s*(?:->\s*[^{;]+)?(?:where[^{]*)?\{|\blet\s+mut\s|\bimpl(?:<[^>]*>)?\s+\w|\bpub\s+(?:fn|struct|enum|mod|trait)\b|#\[(?:derive|test|cfg)|&(?:mut\s+|')?(?:self|str)\b|\b\w+!\s*[([]/,
    { rust: 3, zig: -1 },
    'fn, impl, let mut',
  ),
  m(
    /@import\("|\bpub\s+fn\s+\w+\([^)]*\)\s*[^{;]*\{|\bconst\s+\w+\s*=\s*@|\b(?:comptime|anytype|usize|anyerror)\b|!\w+\s*\{|\bstd\.(?:mem|debug|testing|ArrayList)\b|\b[iu](?:8|16|32|64)\b[^\n]*;/,
    { zig: 1 },
    'Zig words',
  ),
  m(
    /@import\("std"\)|\b(?:comptime|anytype|errdefer|orelse)\b|\[\]const\s+u8/,
    { zig: 6, rust: -4 },
    'comptime, []const u8',
  ),
  m(
    /^\s*import\s+std\.[\w.]+\s*(?::[^;]*)?;|^\s*module\s+[\w.]+;|\bwriteln\(|\bunittest\s*\{|\bimmutable\b|\b(?:size_t|dchar|wchar)\b|\bforeach\s*\(\s*\w+(?:\s*,\s*\w+)?\s*;/m,
    { d: 4 },
    'D modules and foreach',
  ),
  m(
    /^\s*(?:program|module|subroutine|integer|real|end\s+(?:program|module|function|subroutine|do|if)|implicit\s+none|contains|use\s*,?\s*\w+)\b/im,
    { fortran: 0.8 },
    'Fortran statements',
  ),
  m(
    /\bimplicit\s+none\b|\bend\s+(?:program|subroutine|function|module|do)\b|\binteger\s*(?:\(|,|::)|\bintent\s*\(\s*(?:in|out|inout)\s*\)|\b(?:write|print)\s*\*|\bwrite\s*\(\s*\*\s*,|\.(?:and|or|eq|ne|gt|lt|not|true|false)\./i,
    { fortran: 5, ada: -2 },
    'implicit none, intent, end do',
  ),
  m(
    /^\s*(?:program|unit|library)\s+\w+\s*;|\bbegin\s*$[\s\S]*\bend\s*[.;]|\bwrite(?:ln)?\s*\(|^\s*(?:procedure|function)\s+[\w.]+\s*(?:\([^)]*\))?\s*(?::\s*\w+)?\s*;|^\s*(?:uses\s+\w|interface\s*$|implementation\s*$)|:\s*(?:integer|string|boolean|longint)\s*;/im,
    { pascal: 3, d: -1 },
    'begin … end. and :=',
  ),
  m(
    /\b(?:procedure|function|package(?:\s+body)?)\s+[\w.]+\s*(?:\([^)]*\)\s*)?(?:return\s+[\w.]+\s*)?is\b|\bwith\s+Ada\.|\bPut_Line\b|\bend\s+(?:if|loop|case|record)\s*;/i,
    { ada: 4, pascal: -2, fortran: -2 },
    'Ada units',
  ),
  m(
    /\bIDENTIFICATION\s+DIVISION\b|\bPROCEDURE\s+DIVISION\b|\bWORKING-STORAGE\b|\bPIC(?:TURE)?\s+[X9SV(]|\bPERFORM\s+(?:VARYING|UNTIL|[A-Z])/i,
    { cobol: 7 },
    'COBOL divisions',
  ),
  m(
    /^\s*section\s+\.(?:text|data|bss)|^\s*global\s+_?\w+|\b(?:mov|xor|push|pop|lea|add|sub|cmp)\s+\w+\s*,\s*\[?\w|^\s*(?:jmp|jne|je|jz|call|int|syscall|ret)\b/im,
    { assembly: 3 },
    'machine instructions',
  ),
  m(
    /^\s*(?:module\s+\w+\s*(?:#\s*)?\(|endmodule\b|always\s*@|assign\s+\w+\s*=|initial\s+begin|(?:input|output)\s+(?:wire|reg|logic)?\s*\[?)/m,
    { verilog: 3 },
    'modules and always blocks',
  ),

  // Functional
  m(
    /^\s*(?:defmodule\s+[\w.]+\s+do|defp?\s+\w+[?!]?(?:\([^)]*\))?\s*(?:when[^\n]*)?(?:do\s*$|,\s*do:)|@(?:spec|moduledoc|doc|type)\b)/m,
    { elixir: 5, ruby: -4, crystal: -4 },
    'defmodule, def … do',
  ),
  m(
    /\|>\s*(?:Enum|String|Map|List|Stream|Kernel|Regex|Integer)\.\w+|&\d\b|~[rswc][({/["]|%\{|\bfn\b[^\n]*->/,
    { elixir: 1.5 },
    'Elixir pipes and captures',
  ),
  m(/^-(?:module|export|record|include|define|spec|type|behaviou?r|import|compile)\s*\(/m, { erlang: 6 }, '-module('),
  m(/^[a-z]\w*\s*\([^)]*\)\s*(?:when[^>\n]*)?->/m, { erlang: 3, prolog: -2 }, 'clauses by ->'),
  m(
    /^[a-z]\w*(?:\([^)]*\))?\s*:-|^:-\s*(?:module|use_module|dynamic|initialization|consult|set_prolog)/m,
    { prolog: 4, erlang: -3 },
    ':- clauses',
  ),
  m(/^[a-z]\w*\([^()]*(?:\([^()]*\)[^()]*)*\)\s*\.\s*$/m, { prolog: 1.5 }, 'facts'),
  m(
    /^\s*module\s+[\w.]+\s*(?:\([^)]*\)\s*)?where\b|^\s*import\s+(?:qualified\s+)?[A-Z][\w.]*(?:\s+(?:qualified|as|hiding|\()|\s*$)|^[a-z_][\w']*\s*::\s|\bderiving\b|^\s*(?:newtype|instance)\s/m,
    { haskell: 3, fsharp: -2 },
    'signatures by ::, where',
  ),
  m(
    /^\s*(?:let\s+(?:rec\s+)?[a-z_][\w']*|module\s+[A-Z]\w*\s*=\s*struct\b|open\s+[A-Z]\w*|type\s+(?:'a\s+)?\w+\s*=)|\bfunction\s*$|\bmatch\b[^\n]*\bwith\b/m,
    { ocaml: 1, fsharp: 1 },
    'let, match … with',
  ),
  m(
    /;;|\s\^\s|\bin\s*$|\bmodule\s+\w+\s*=\s*struct\b|\bList\.(?:fold_left|fold_right|rev_append|assoc|init)\b|\b(?:Printf|Hashtbl|Buffer|Bytes|Base|Core|Stdlib|Option|Result|String|Char|Array)\.[a-z]+_[a-z_]+|\b(?:string_of_int|int_of_string|failwith|raise_notrace|invalid_arg)\b|~\w+:|\bbegin\s+match\b|\bopen\s+(?:Base|Core)\b|\b(?:int|string|char|bool|'a)\s+(?:list|option|array)\b|\[[^\]\n;]{0,80};[^\]\n]{0,80}\]|#\(?use\b|@@/m,
    { ocaml: 3, fsharp: -1.5 },
    'OCaml library and operators',
  ),
  m(
    /^\s*open\s+System\b|\bprintfn?\s+"|\blet\s+(?:mutable|inline|private)\b|\b(?:Seq|List|Array|Map|Set|Option|String)\.(?:map|filter|fold|sumBy|sortBy|groupBy|ofList|ofSeq|toList|tryFind|choose|collect|exists|countBy|concat|init|rev|zip|length|iter|toArray|ofArray|isEmpty|contains|find|max|min|windowed|pairwise)\w*\b|\bmember\s+(?:this|_|x|self)\.|\[<\w+|\bfun\s+\(?\w+|\basync\s*\{|:\s*\w+<[\w, ]+>|\b(?:elif|failwithf|sprintf|yield!|let!|return!)\b|^\s*module\s+[\w.]+\s*(?:=\s*)?$|^\s*namespace\s+[\w.]+\s*$|\s>>\s|\|\]|\(\*\)|^\s*\/\/\/?\s/m,
    { fsharp: 2 },
    'the F# core library',
  ),
  m(
    /^\s*module\s+[\w.]+\s*$|^\s*open\s+System\b|\bprintfn\s+"|\blet\s+mutable\b|\b(?:Seq|List|Array|Map)\.(?:sumBy|sortBy|groupBy|ofSeq|ofList|tryFind|choose|collect|countBy|toList)\b|\[<\w+/m,
    { fsharp: 5, ocaml: -4, haskell: -2 },
    'F# modules',
  ),
  m(
    /^\s*\((?:ns|defn-?|defmacro|defprotocol|defrecord|deftest)\s|\(defn-?\s|\[[^\]]*\]\s*\n|\(:require\b|#\(|\(fn\s*\[|\(let\s*\[|->>?\s/m,
    { clojure: 0.8 },
    'Clojure forms',
  ),
  m(
    /\((?:ns|defn-?|defprotocol|defrecord|deftest)\s+[\w.\-*^:]|\(let\s*\[|\(fn\s*\w*\s*\[|\(:require\b|\(loop\s*\[/,
    { clojure: 6, lisp: -4, scheme: -4, racket: -4 },
    '(ns, (defn, vectors as arguments',
  ),
  m(
    /\((?:defun|defpackage|in-package|defmacro|defvar|defparameter|defstruct|defclass|defmethod|defgeneric|setf|dolist|dotimes|loop\s+for|multiple-value-bind|cl:|incf|labels|flet)\b|#'|\(let\*?\s*\(\(|\bnil\b/i,
    { lisp: 1 },
    'Common Lisp forms',
  ),
  m(
    /\((?:defun|defpackage|in-package|defvar|defparameter|defgeneric|defmethod|setf|multiple-value-bind)\b/i,
    { lisp: 6, scheme: -4, racket: -4, clojure: -4 },
    '(defun, (in-package',
  ),
  m(/^\s*#lang\s+\S+/m, { racket: 8, scheme: -5 }, '#lang'),
  m(
    /\((?:define\/contract|struct|provide|require|for\/\w+|for\*?\/?\w*|match|match-lambda\*?|let\/ec|with-handlers|module\+)\s/,
    { racket: 2, scheme: -1 },
    'Racket forms',
  ),
  m(
    /\((?:define-library|import\s+\(|define-record-type|call-with-current-continuation|call\/cc|let-syntax|syntax-rules|define-module|use-modules|newline)\b/,
    { scheme: 3, racket: -1 },
    'Scheme forms',
  ),
  m(/\(define\s+\(?[\w\-?!*]+/, { scheme: 1.5, racket: 1.5, lisp: -3, clojure: -3 }, '(define'),

  // Numbers and data
  m(
    /<-\s*(?:function\s*\(|c\(|list\(|\w)|\bfunction\s*\([^)]*\)\s*(?:\{|$)[\s\S]*<-|\blibrary\(\w+\)|%>%|%in%|\|>\s*\w+\(|\b(?:sapply|lapply|vapply|paste0?|data\.frame|seq_along|stopifnot|is\.na)\s*\(/m,
    { r: 2, javascript: -1 },
    '<- and R functions',
  ),
  m(
    /[\w.]+\s*<-\s*function\s*\(|\blibrary\([\w."']+\)|%>%|%in%|\b(?:sapply|vapply|lapply|data\.frame|seq_along)\s*\(/,
    { r: 4, haskell: -3, fsharp: -3, elixir: -2 },
    'name <- function(',
  ),
  m(
    /^\s*function\s+[\w.!]+(?:\{[^}]*\})?\([^)\n]*\)\s*(?:where\b.*|::\s*\S+)?\s*$[\s\S]*^\s*end\s*$|\b\w+::(?:Abstract)?(?:Int|String|Vector|Char|Float64|Real|Number|Any|Integer|Bool|Array|Dict)\w*\b|^\s*using\s+[A-Z]\w*\s*(?:[:,]|$)|\b(?:mutable\s+struct|abstract\s+type|nothing|isa|eachindex|push!|println)\b|\.\s*\(|\.[+*/^=]=?\s|^\s*@(?:enum|assert|show|test|testset|inbounds)\b|^\s*\w+\([^)\n=]*\)\s*=\s[^=]/m,
    { julia: 2.5 },
    'Julia functions and types',
  ),
  m(
    /^\s*(?:mutable\s+)?struct\s+\w+(?:\s*<:\s*\w+)?\s*$[\s\S]*^\s*end\b|\bfunction\s+\w+!?\([^)]*::[^)]*\)|\b\w+!\(|\b(?:eachindex|isnothing|throw\(\w+Error\()|\bfor\s+\w+\s*(?:∈|=)\s*\w+:|\bfor\s+\w+\s+in\s+\d+:\w+/m,
    { julia: 4, lua: -3, ruby: -3, octave: -3, crystal: -3 },
    'Julia structs and ranges',
  ),
  m(
    /^\s*(?:function\s+(?:\[?[\w, ]+\]?\s*=\s*)?\w+\s*(?:\([^)]*\))?\s*$|end(?:function|if|while|for)\b|%[^\n]*$|disp\s*\(|fprintf\s*\(|printf\s*\("|x?\w+\s*=\s*\[[^\]]*;[^\]]*\]\s*;)/m,
    { octave: 1 },
    'matrices and end words',
  ),
  m(
    /\b(?:endfunction|endif|endwhile|end_try_catch)\b|\bfunction\s+(?:\[[^\]]*\]|\w+)\s*=\s*\w+\s*\(|\b(?:zeros|ones|linspace|numel|disp)\s*\(/,
    { octave: 4, julia: -2 },
    'Octave functions',
  ),
  m(
    /^\s*(?:SELECT\b[\s\S]*\bFROM\b|SELECT\s+[\d'"]|INSERT\s+INTO\b|CREATE\s+(?:TEMP\s+)?(?:TABLE|VIEW|INDEX)\b|UPDATE\s+\w+\s+SET\b|DELETE\s+FROM\b|WITH\s+(?:RECURSIVE\s+)?\w+.*\bAS\s*\()/im,
    { sql: 6 },
    'SQL statements',
  ),
  m(
    /^\s*(?:proc|func|template|iterator|macro|method)\s+`?\w+`?\*?\s*(?:\[[^\]]*\])?\s*\([^)]*\)\s*(?::\s*[^=\n]+)?\s*(?:\{\.[^}]*\.\}\s*)?=/m,
    { nim: 6, python: -4 },
    'proc … =',
  ),
  m(
    /^\s*(?:import|from)\s+(?:std\/)?(?:strutils|sequtils|tables|sets|math|algorithm|unittest|options|strformat|os|sugar)\b|\b(?:echo|discard)\s|\bresult\s*(?:\.add|=|&=|\+=)|\b(?:seq|array|Table|HashSet|Option)\[|^\s*type\s*$|\bobject\s*$|\bcase\s+\w+\s*$[\s\S]*^\s*of\s/m,
    { nim: 2, pascal: -0.5 },
    'Nim modules and types',
  ),
  m(
    /^\s*:\s+\S+\s+(?:\([^)]*--[^)]*\)|[^;]*;)|\b(?:dup|swap|drop|rot|over|emit|cr)\b[^\n]*\b(?:dup|swap|drop|rot|over|then|;)|\."\s/im,
    { forth: 2.5 },
    'stack words',
  ),
  m(/^\s*:\s+\S+\s+\([^)]*--[^)]*\)/m, { forth: 5 }, 'a word with its stack effect'),
  m(
    /\b(?:Object|Collection)\s+subclass:|\bTranscript\s+(?:show|display)|^!\w+ methodsFor|\bifTrue:\s*\[|\^\s*self\b|\|\s*\w+(?:\s+\w+)*\s*\|\s*$/m,
    { smalltalk: 3 },
    'Smalltalk messages',
  ),
  m(
    /^\s*tell\s+(?:application|app)\b|^\s*set\s+\w+\s+to\b|^\s*end\s+tell\b|\bdisplay\s+(?:dialog|notification)\b/im,
    { applescript: 6 },
    'tell application',
  ),
  m(
    /^\s*(?:Dim\s+\w+|Set\s+\w+\s*=|End\s+(?:Sub|Function|If)|Option\s+Explicit|WScript\.|Wend\b)/im,
    { vbscript: 3.5 },
    'Dim, End Sub, WScript',
  ),
  m(
    /^\s*(?:MsgBox|SendInput|Send|Hotkey|SetTitleMatchMode|#NoEnv|#Persistent|#SingleInstance)\b|^\S+::\s*$|:=[^\n]*%\w+%/im,
    { autohotkey: 3 },
    'hotkeys',
  ),
  m(
    /^\s*(?:#include\s+<\w+\.au3>|Func\s+\w+\(|EndFunc\b|(?:Local|Global)\s+(?:Const\s+)?\$\w+)/im,
    { autoit: 6, c: -4, cpp: -4 },
    'EndFunc and $variables',
  ),
  m(
    /^\s*(?:\$[\w-]+\s*:\s*[^;\n]+;|@(?:mixin|include|use|extend|function|import)\b[^\n]*[;{]|&:?[\w-]*\s*\{|[.#]?[\w-]+\s*\{\s*$[\s\S]*:\s*[^;]+;\s*$)/m,
    { scss: 1.5 },
    'SCSS rules',
  ),
  m(
    /^\s*(?:\$[\w-]+\s*:\s*[^;\n{]+|=[\w-]+|\+[\w-]+|@(?:mixin|include)\s[^;{\n]+)$/m,
    { sass: 2, scss: -1 },
    'Sass by indentation',
  ),
  m(
    /^\s*fn\s+(?:\([^)]*\)\s*)?\w+\([^)]*\)\s*[\w?![\]]*\s*\{[\s\S]*(?::=|\bmut\s)|^\s*module\s+main\s*$|\bprintln\('/m,
    { v: 3, rust: -1 },
    'V functions',
  ),
];

function m(pattern: RegExp, speaks: Readonly<Record<string, number>>, says: string): Marker {
  return { pattern, speaks, says };
}
