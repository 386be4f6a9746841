# Short names for the steps of .ci/run, which says what each one does.
# No program needs C, and the first build is shorter without.
export CGO_ENABLED = 0

.PHONY: all build bench clean dist man test vet format words staticcheck deadcode core race fuzz smoke

all:
	.ci/run

build:
	go build -trimpath -ldflags="-s -w" -o . ./cmd/...

test vet format words staticcheck deadcode core race fuzz smoke:
	.ci/run $@

dist:
	.ci/package/build

man:
	go run ./cmd/recrawl man --to dist/man

bench:
	go test -run '^$$' -bench . ./...

clean:
	rm -f recrawl recrawl-cluster recrawl-search recrawl-lab
