package history

import (
	"bytes"
	"encoding/json"
)

const hintSeconds = "want unix seconds as a whole number"

// decode reads any line that is a JSON object, and describes the faults of others. It ignores
// unknown fields, for later versions of the format. Of a repeated field the last one counts.
func decode(line []byte, words *interner, f *fields) *Error {
	var raw map[string]json.RawMessage
	if err := json.Unmarshal(line, &raw); err != nil {
		e := bad(hintFormat, "line is not a JSON object: %v", err)
		e.Err = err
		return e
	}
	if raw == nil {
		return bad(hintFormat, "line is null")
	}
	*f = fields{}
	for key, value := range raw {
		name := fieldNames[key]
		if name == 0 {
			continue
		}
		f.has |= name
		if bytes.Equal(value, []byte("null")) {
			f.null |= name
			continue
		}
		if err := decodeField(name, value, words, f); err != nil {
			e := bad(hintOf(name), "%s is %s", key, clip(value))
			e.Err = err
			return e
		}
	}
	return nil
}

func decodeField(name field, value json.RawMessage, words *interner, f *fields) error {
	switch name {
	case fieldT:
		return json.Unmarshal(value, &f.t)
	case fieldSize:
		return json.Unmarshal(value, &f.size)
	case fieldGone:
		return json.Unmarshal(value, &f.gone)
	case fieldLinks, fieldFrames:
		var list []string
		if err := json.Unmarshal(value, &list); err != nil {
			return err
		}
		for i := range list {
			list[i] = words.string(list[i])
		}
		if name == fieldLinks {
			f.links = words.share(list)
		} else {
			f.frames = words.share(list)
		}
		return nil
	}
	var s string
	err := json.Unmarshal(value, &s)
	*f.bytesOf(name) = []byte(s)
	return err
}

func hintOf(name field) string {
	switch name {
	case fieldT:
		return hintSeconds
	case fieldSize:
		return "want a whole number of bytes"
	case fieldGone:
		return "want true"
	case fieldLinks, fieldFrames:
		return "want an array of addresses"
	}
	return "want a string"
}

// clip keeps messages short.
func clip(b []byte) string {
	const most = 60
	if len(b) > most {
		return string(bytes.ToValidUTF8(b[:most], nil)) + "..."
	}
	return string(b)
}
