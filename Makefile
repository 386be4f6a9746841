# Short names for the steps of .ci/run, which says what each one does.
.PHONY: all build bench clean test vet format words staticcheck deadcode race fuzz smoke

all:
	.ci/run

build:
	go build ./cmd/recrawl

test vet format words staticcheck deadcode race fuzz smoke:
	.ci/run $@

bench:
	go test -run '^$$' -bench . ./...

clean:
	rm -f recrawl
