package core

import "runtime/debug"

// moduleVersion returns the version of the program, or "devel", and the revision of its source, if
// known.
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
