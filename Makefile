# Short names for the steps of .ci/run, which says what each one does.
.PHONY: all build bench clean dist man test vet format words staticcheck deadcode race fuzz smoke

all:
	.ci/run

build:
	go build ./cmd/recrawl

test vet format words staticcheck deadcode race fuzz smoke:
	.ci/run $@

dist:
	.ci/package/build

man:
	go run ./cmd/recrawl man --to dist/man

bench:
	go test -run '^$$' -bench . ./...

clean:
	rm -f recrawl
