#compdef nsn
# Completes command lines of nsn in zsh: source <(nsn completion zsh), after compinit.
_nsn() {
  local word sentence more=""
  local -a shown plain
  while IFS=$'\t' read -r word sentence; do
    case $word in
      :files) _files ;;
      :folders) _files -/ ;;
      :more) more=1 ;;
      *) plain+=("$word"); shown+=("$word${sentence:+  -- $sentence}") ;;
    esac
  done < <("${words[1]}" __complete "${(@)words[2,CURRENT]}" 2>/dev/null)
  (( ${#plain} )) && compadd ${more:+-S} ${more:+""} -l -d shown -a plain
}
if [ "$funcstack[1]" = _nsn ]; then _nsn "$@"; else compdef _nsn nsn; fi
