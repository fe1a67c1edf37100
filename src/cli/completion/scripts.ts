/**
 * The completion scripts. They only pass the line on to `millwright __complete` and show its answer, so that they stay the same
 * while commands change.
 */

export const SHELLS = ['bash', 'zsh', 'fish'] as const;

export type Shell = (typeof SHELLS)[number];

export function completionScript(shell: Shell): string {
  return SCRIPTS[shell];
}

/** bash splits words at `=`, so they are put together again, and the answer is shortened by what stands before it. */
const BASH = `# bash completion of millwright
_millwright() {
  local words=() count=0 i
  for ((i = 1; i <= COMP_CWORD; i++)); do
    if ((count > 0)) && [[ \${COMP_WORDS[i]} == '=' || \${COMP_WORDS[i - 1]} == '=' ]]; then
      words[count - 1]+=\${COMP_WORDS[i]}
    else
      words[count]=\${COMP_WORDS[i]}
      ((++count))
    fi
  done
  local current=\${words[count - 1]} directive=4 line
  local -a found=()
  while IFS= read -r line; do
    case $line in
      :*) directive=\${line#:} ;;
      *) found+=("\${line%%$'\\t'*}") ;;
    esac
  done < <("\${COMP_WORDS[0]/#\\~/$HOME}" __complete "\${words[@]}" 2>/dev/null)
  COMPREPLY=()
  compopt +o default 2>/dev/null
  case $directive in
    0) compopt -o default 2>/dev/null ;;
    16) compopt -o dirnames 2>/dev/null ;;
  esac
  local before=''
  if [[ $current == *=* && $COMP_WORDBREAKS == *=* ]]; then before=\${current%%=*}=; fi
  for line in "\${found[@]}"; do COMPREPLY+=("\${line#"$before"}"); done
}
complete -F _millwright millwright
`;

const ZSH = `#compdef millwright
# zsh completion of millwright
_millwright() {
  local line directive=4
  local -a found
  for line in "\${(@f)$("\${(e)words[1]/#\\~/$HOME}" __complete "\${(@)words[2,CURRENT]}" 2>/dev/null)}"; do
    case $line in
      :*) directive=\${line#:} ;;
      *$'\\t'*) found+=("\${\${line%%$'\\t'*}//:/\\\\:}:\${line#*$'\\t'}") ;;
      ?*) found+=("\${line//:/\\\\:}") ;;
    esac
  done
  if (( $#found > 0 )); then
    _describe -V millwright found
  elif [[ $directive == 0 ]]; then
    _files
  elif [[ $directive == 16 ]]; then
    _files -/
  fi
}
if [[ $funcstack[1] == _millwright ]]; then
  _millwright "$@"
else
  compdef _millwright millwright
fi
`;

const FISH = `# fish completion of millwright
function __millwright_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    set -l directive 4
    set -l found
    for line in ($words[1] __complete $words[2..] "$current" 2>/dev/null)
        if string match -q ':*' -- $line
            set directive (string sub -s 2 -- $line)
        else
            set -a found $line
        end
    end
    if test (count $found) -gt 0
        printf '%s\\n' $found
    else if test $directive = 0
        __fish_complete_path $current
    else if test $directive = 16
        __fish_complete_directories $current
    end
end
complete -c millwright -f -a '(__millwright_complete)'
`;

const SCRIPTS: { readonly [shell in Shell]: string } = { bash: BASH, zsh: ZSH, fish: FISH };
