# Completes command lines of nsn in bash: source <(nsn completion bash)
_nsn_complete() {
  local line=${COMP_LINE:0:COMP_POINT} words word sentence piece start
  read -ra words <<<"$line"
  [[ $line == *[[:space:]] ]] && words+=("")
  COMPREPLY=()
  # bash cuts words at '=' and ':' too; what stands before the cut is not repeated.
  word=${words[-1]}
  piece=${word##*[=:]}
  start=${word%"$piece"}
  [[ ${COMP_WORDBREAKS-=:} == *[=:]* ]] || start=""
  while IFS=$'\t' read -r word sentence; do
    case $word in
      :files) compopt -o filenames 2>/dev/null; mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -f -- "$piece") ;;
      :folders) compopt -o filenames 2>/dev/null; mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -d -- "$piece") ;;
      :more) compopt -o nospace 2>/dev/null ;;
      *) COMPREPLY+=("${word#"$start"}") ;;
    esac
  done < <("${words[0]}" __complete "${words[@]:1}" 2>/dev/null)
}
complete -F _nsn_complete nsn
