package core

import "runtime/debug"

// moduleVersion is the version of the program, or "devel", and the revision that it was built from,
// if that is known.
func moduleVersion() (name, revision string) {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "devel", ""
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" {
			revision = s.Value
		}
	}
	if name = info.Main.Version; name == "" || name == "(devel)" {
		name = "devel"
	}
	return name, revision
}
