# bash completion for lookout                              -*- shell-script -*-

# __lookout_split splits a line into words as the shell does, but runs and expands nothing. It sets words, the last
# of them in word, the quote that is open, and in base what stands before the part of the word that readline replaces.
__lookout_split() {
    local line=$1 i c begun=''
    words=() word='' quote='' base=''
    for ((i = 0; i < ${#line}; i++)); do
        c=${line:i:1}
        if [[ $quote && $c == "$quote" ]]; then
            quote=''
        elif [[ $quote == '"' && $c == '\' && ${line:i+1:1} == [\"\\\$\`] ]]; then
            ((++i))
            word+=${line:i:1}
        elif [[ $quote ]]; then
            word+=$c
        elif [[ $c == [\ $'\t'] ]]; then
            [[ $begun ]] && words+=("$word")
            word='' base='' begun=''
        elif [[ $c == [\'\"] ]]; then
            quote=$c base=$word begun=1
        elif [[ $c == '\' ]]; then
            ((++i))
            word+=${line:i:1} begun=1
        else
            word+=$c begun=1
            [[ $COMP_WORDBREAKS == *"$c"* ]] && base=$word
        fi
    done
    words+=("$word")
}

# __lookout_quote sets quoted to a text as it stands within the quote that is open.
__lookout_quote() {
    local i c special="[] \"\\\\\$\`'!#&()*;<>?[^{|}~]"
    [[ $quote == '"' ]] && special='["\\$`]'
    quoted=''
    if [[ $quote == "'" ]]; then
        quoted=${1//"'"/"'\\''"}
        return
    fi
    for ((i = 0; i < ${#1}; i++)); do
        c=${1:i:1}
        if [[ $quote && $c == '!' ]]; then
            c='"\!"'
        elif [[ $c == $special ]]; then
            c="\\$c"
        fi
        quoted+=$c
    done
}

__start_lookout() {
    local words word quote base quoted out line value common flag='' typed directive longest=0 values=() lines=()
    COMPREPLY=()
    __lookout_split "${COMP_LINE:0:COMP_POINT}"
    local program=${words[0]/#'~/'/$HOME/}
    type -P "$program" >/dev/null || program=lookout
    out=$(command "$program" __complete "${words[@]:1}" 2>/dev/null) || return
    directive=${out##*:} typed=$word
    if [[ $word == -*=* ]]; then
        flag=${word%%=*}= typed=${word#*=}
    fi
    while IFS='' read -r line; do
        value=${line%%$'\t'*}
        [[ $value && $value == "$typed"* ]] || continue
        values+=("$value") lines+=("$line")
        ((${#value} > longest)) && longest=${#value}
    done <<<"${out%:*}"
    if ((directive & 4)) && [[ $(type -t compopt) == builtin ]]; then
        compopt +o default
    fi
    ((${#values[@]})) || return
    common=${values[0]}
    for value in "${values[@]}"; do
        while [[ $value != "$common"* ]]; do
            common=${common%?}
        done
    done
    if ((directive & 2)) && [[ $common == *[/:] && $(type -t compopt) == builtin ]]; then
        compopt -o nospace
    fi
    if ((COMP_TYPE == 37 || COMP_TYPE == 42)); then # menu-complete inserts each of them
        for value in "${values[@]}"; do
            value=$flag$value
            __lookout_quote "${value:${#base}}"
            COMPREPLY+=("$quoted")
        done
        return
    fi
    # readline inserts what all of them begin with, and lists them: only the beginning is quoted, the rest is to be read
    value=$flag$common
    __lookout_quote "${value:${#base}}"
    for line in "${lines[@]}"; do
        value=${line%%$'\t'*}
        if [[ ${#lines[@]} -gt 1 && $line == *$'\t'* && $value != "$common" ]]; then
            printf -v line '%-*s  (%s)' "$longest" "$value" "${line#*$'\t'}"
            value=$line
        fi
        COMPREPLY+=("$quoted${value:${#common}}")
    done
}

complete -o default -F __start_lookout lookout
