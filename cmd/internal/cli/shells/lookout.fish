# fish completion for lookout

# __lookout_complete prints the candidates for the word at the cursor. Nothing on the command line is run or expanded.
function __lookout_complete
    set -l args (commandline -opc)
    set -l raw (commandline -ct)
    set -l typed (string unescape -- "$raw"; or string unescape -- "$raw\""; or string unescape -- "$raw'"; or echo $raw)
    set -q typed[1]; or set typed ''
    set -l program (string replace -r '^~/' "$HOME/" -- $args[1])
    type -q -- $program; or set program lookout
    type -q -- $program; or return
    set -l lines (command $program __complete $args[2..-1] $typed 2>/dev/null)
    set -q lines[1]; or return
    set -l directive (string sub -s 2 -- $lines[-1])
    set -e lines[-1]
    set -l flag (string match -r -- '^-[^=]*=' $typed)
    set -l word (string replace -r -- '^-[^=]*=' '' $typed)
    set -l found 0
    for line in $lines
        if test (string sub -l (string length -- $word) -- $line) = "$word"
            set found 1
        end
        printf '%s%s\n' "$flag" $line
    end
    if test $found -eq 0 -a (math "bitand($directive, 4)") -eq 0
        __fish_complete_path $typed
    end
end

complete -c lookout -e
complete -c lookout -f -a '(__lookout_complete)'
