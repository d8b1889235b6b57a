#!/bin/bash
# Builds the targets that are named, and what they need, in the right order.
set -u

declare -A needs=(
    [app]="core ui"
    [ui]="core icons theme"
    [core]="base"
    [theme]="icons ui"
    [icons]=""
    [base]=""
)
declare -A built
verbose=0
order=()

log() {
    if [ "$verbose" -gt 0 ]; then
        echo "build: $*"
    fi
}

usage() {
    cat <<END
usage: build [-v] [TARGET...]
targets: ${!needs[*]}
END
}

known() {
    [[ -v needs[$1] ]]
}

compile() {
    local target=$1 flags=()
    case $target in
        ui | theme) flags+=(--with-fonts) ;;
        base) flags+=(--static) ;;
        *) ;;
    esac
    log "compiling $target ${flags[*]:-}"
    order+=("$target")
}

build() {
    local target=$1 need
    if [ "${built[$target]:-no}" = yes ]; then
        log "$target is built already"
        return 0
    fi
    for need in ${needs[$target]}; do
        if ! known "$need"; then
            echo "build: $target needs $need, which is unknown" >&2
            return 1
        fi
        build "$need" || return 1
    done
    compile "$target"
    built[$target]=yes
}

summary() {
    local number=0 target
    for target in "${order[@]}"; do
        number=$((number + 1))
        printf '%2d %s\n' "$number" "$target"
    done
}

targets=()
for word in "$@"; do
    case $word in
        -v) verbose=1 ;;
        -h) usage && exit 0 ;;
        -*) usage >&2 && exit 2 ;;
        *) targets+=("$word") ;;
    esac
done

build base && build icons
for target in "${targets[@]:-app}"; do
    build "$target" || exit 1
done
summary | sort -n
