#compdef lookout
compdef _lookout lookout

# zsh completion for lookout                               -*- shell-script -*-

_lookout() {
    local out line value directive typed=$PREFIX program=${${(Q)words[1]}/#\~\//$HOME/}
    local -a lines values open
    # the quotes of the words are removed; nothing in them is run or expanded
    [[ $compstate[quote] == \' ]] || typed=${(Q)PREFIX}
    whence -p -- "$program" >/dev/null || program=lookout
    out=$(command "$program" __complete "${(@Q)words[2,CURRENT-1]}" "$typed" 2>/dev/null) || return 1
    lines=("${(@f)out}")
    directive=${lines[-1]#:}
    [[ $PREFIX == -*=* ]] && compset -P '*='
    for line in "${(@)lines[1,-2]}"; do
        [[ -n $line ]] || continue
        value=${line%%$'\t'*}
        line=${line#"$value"}
        value=${${value//\\/\\\\}//:/\\:}${line/#$'\t'/:}
        if ((directive & 2)) && [[ $value == *[/:] ]]; then
            open+=("$value")
        else
            values+=("$value")
        fi
    done
    local found=1
    (($#open)) && _describe -t names name open -S '' && found=0
    (($#values)) && _describe -t names name values && found=0
    if ((found && !(directive & 4))); then
        _files && found=0
    fi
    return found
}

# when the file is loaded as the function itself
if [[ $funcstack[1] == _lookout ]]; then
    _lookout
fi
