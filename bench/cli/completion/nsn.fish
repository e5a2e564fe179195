# Completes command lines of nsn in fish: nsn completion fish | source
function __nsn_complete
    set -l words (commandline --tokenize --cut-at-cursor) (commandline --current-token --cut-at-cursor)
    for line in ($words[1] __complete $words[2..-1] 2>/dev/null)
        switch $line
            case :files
                __fish_complete_path $words[-1]
            case :folders
                __fish_complete_directories $words[-1]
            case ':*'
            case '*'
                echo $line
        end
    end
end
complete --command nsn --no-files --arguments '(__nsn_complete)'
