package fetchtest

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"compress/zlib"
	"fmt"
	"hash/crc32"
	"strings"
)

// HostileFile is a hostile PDF or office file. Its name describes the attack.
type HostileFile struct {
	Name, Type string
	Make       func() []byte
}

// Media types of files.
const (
	PDFType  = "application/pdf"
	DOCXType = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
	XLSXType = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
	ODTType  = "application/vnd.oasis.opendocument.text"
)

// PDF returns a file of objects, numbered from 1; the first one is its root. trailer is the content
// of its trailer besides Root and Size.
func PDF(trailer string, objects ...string) []byte {
	var b bytes.Buffer
	b.WriteString("%PDF-1.7\n")
	places := make([]int, len(objects))
	for i, object := range objects {
		places[i] = b.Len()
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", i+1, object)
	}
	table := b.Len()
	fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n", len(objects)+1)
	for _, at := range places {
		fmt.Fprintf(&b, "%010d 00000 n \n", at)
	}
	fmt.Fprintf(&b, "trailer\n<</Root 1 0 R/Size %d%s>>\nstartxref\n%d\n%%%%EOF\n",
		len(objects)+1, trailer, table)
	return b.Bytes()
}

// Stream returns an object with data.
func Stream(dictionary, data string) string {
	return fmt.Sprintf("<<%s/Length %d>>\nstream\n%s\nendstream", dictionary, len(data), data)
}

// Shows returns a PDF with one page that shows the result of operators; more objects are numbered
// from 6.
func Shows(trailer, operators string, more ...string) []byte {
	return pageOf(trailer, Stream("", operators), more...)
}

func pageOf(trailer, content string, more ...string) []byte {
	return PDF(trailer, append([]string{"<</Type/Catalog/Pages 2 0 R>>",
		"<</Type/Pages/Kids[3 0 R]/Count 1/Resources<</Font<</F 5 0 R>>/XObject<</X 6 0 R>>>>>>",
		"<</Type/Page/Parent 2 0 R/Contents 4 0 R>>", content,
		"<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>"}, more...)...)
}

// ZipPart is a file within an office file.
type ZipPart struct{ Name, Text string }

// Zip returns a file of parts.
func Zip(parts ...ZipPart) []byte {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, part := range parts {
		w, err := z.Create(part.Name)
		if err == nil {
			_, err = w.Write([]byte(part.Text))
		}
		if err != nil {
			panic(err) // memory accepts every write
		}
	}
	if err := z.Close(); err != nil {
		panic(err)
	}
	return b.Bytes()
}

// bomb returns an office file with a part of this many megabytes of one octet, which claims a size
// of said octets.
func bomb(name string, megabytes int, octet byte, said uint64) []byte {
	var packed, b bytes.Buffer
	f, _ := flate.NewWriter(&packed, flate.BestSpeed) // the level is valid
	sum := crc32.NewIEEE()
	block := bytes.Repeat([]byte{octet}, 1<<20)
	for range megabytes {
		sum.Write(block)
		f.Write(block) // memory accepts every write
	}
	f.Close()
	z := zip.NewWriter(&b)
	w, err := z.CreateRaw(&zip.FileHeader{Name: name, Method: zip.Deflate, CRC32: sum.Sum32(),
		CompressedSize64: uint64(packed.Len()), UncompressedSize64: said})
	if err == nil {
		_, err = w.Write(packed.Bytes())
	}
	if err == nil {
		err = z.Close()
	}
	if err != nil {
		panic(err)
	}
	return b.Bytes()
}

// deflated returns a PDF stream that unpacks to repetitions of a text, packed several times.
func deflated(text string, repetitions, times int) string {
	data := []byte(strings.Repeat(text, repetitions))
	for range times {
		var b bytes.Buffer
		z := zlib.NewWriter(&b)
		z.Write(data) // memory accepts every write
		z.Close()
		data = b.Bytes()
	}
	return Stream("/Filter["+strings.Repeat("/FlateDecode", times)+"]", string(data))
}

// HostileFiles are the cases of PDF (D) and of office files (Z).
func HostileFiles() (all []HostileFile) {
	add := func(name, kind string, make func() []byte) {
		all = append(all, HostileFile{name, kind, make})
	}
	pdf := func(name string, make func() []byte) { add("D "+name, PDFType, make) }
	plain := func(name, operators string, more ...string) {
		pdf(name, func() []byte { return Shows("", operators, more...) })
	}
	pdf("no header", func() []byte { return []byte("not a PDF") })
	pdf("header alone", func() []byte { return []byte("%PDF-1.7\n%%EOF\n") })
	pdf("cut", func() []byte { b := Shows("", "BT (x) Tj ET"); return b[:len(b)/2] })
	pdf("no pages", func() []byte { return PDF("", "<</Type/Catalog>>") })
	pdf("root of itself", func() []byte { return PDF("", "1 0 R") })
	pdf("two references", func() []byte { return PDF("", "<</Pages 2 0 R>>", "3 0 R", "2 0 R") })
	pdf("pages in a circle", func() []byte {
		return PDF("", "<</Pages 2 0 R>>", "<</Type/Pages/Kids[2 0 R 2 0 R]/Count 1000000000>>")
	})
	pdf("pages that double", func() []byte {
		objects := []string{"<</Pages 2 0 R>>"}
		for i := range 40 {
			objects = append(objects, fmt.Sprintf("<</Type/Pages/Kids[%d 0 R %d 0 R]>>", i+3, i+3))
		}
		return PDF("", append(objects, "<</Type/Page>>")...)
	})
	pdf("parents in a circle", func() []byte {
		return PDF("", "<</Pages 2 0 R>>", "<</Type/Pages/Parent 3 0 R/Kids[3 0 R]/Count 1>>",
			"<</Type/Page/Parent 2 0 R/Contents 4 0 R>>", Stream("", "/F 1 Tf (x) Tj"))
	})
	pdf("a billion pages", func() []byte {
		return PDF("", "<</Pages 2 0 R>>", "<</Type/Pages/Kids[]/Count 2000000000>>")
	})
	pdf("deep arrays", func() []byte {
		return Shows("", strings.Repeat("[", 1_000_000))
	})
	pdf("deep dictionaries", func() []byte {
		return PDF("", "<</Pages "+strings.Repeat("<</A ", 300_000)+">>")
	})
	pdf("length of itself", func() []byte {
		return PDF("", "<</Pages 2 0 R>>", "<</Kids[3 0 R]>>", "<</Contents 4 0 R>>",
			"<</Length 4 0 R>>\nstream\nx\nendstream")
	})
	pdf("length of gigabytes", func() []byte {
		return pageOf("", "<</Length 99999999999>>\nstream\n(x) Tj\nendstream")
	})
	pdf("negative length", func() []byte {
		return pageOf("", "<</Length -5>>\nstream\n(x) Tj\nendstream")
	})
	pdf("bomb", func() []byte { return pageOf("", deflated("(x) Tj ", 20_000_000, 1)) })
	pdf("bomb of bombs", func() []byte { return pageOf("", deflated("\x00", 70_000_000, 3)) })
	pdf("bomb without text", func() []byte { return pageOf("", deflated(" ", 70_000_000, 2)) })
	pdf("filters", func() []byte {
		return pageOf("", Stream("/Filter["+strings.Repeat("/ASCII85Decode", 100_000)+"]", "zzz~>"))
	})
	pdf("predictor", func() []byte {
		return pageOf("", Stream("/Filter/FlateDecode/DecodeParms<</Predictor 12/Columns "+
			"2000000000>>", "x\x9c\x03\x00\x00\x00\x00\x01"))
	})
	plain("part of itself", "/X Do", Stream("/Subtype/Form", "/X Do /X Do"))
	plain("blanks", strings.Repeat("BT ET ", 300_000))
	plain("no operators", strings.Repeat("1 ", 900_000))
	plain("strings", strings.Repeat("(", 900_000))
	plain("names", "/"+strings.Repeat("#41", 600_000))
	plain("operators without arguments", strings.Repeat("Tj TJ Tf Td Tm Do ' \" T* ", 40_000))
	pdf("map of characters", func() []byte {
		return PDF("", "<</Pages 2 0 R>>", "<</Kids[3 0 R]>>",
			"<</Contents 4 0 R/Resources<</Font<</F<</ToUnicode 5 0 R>>>>>>>>",
			Stream("", "/F 1 Tf "+strings.Repeat("(aaaaaaaa) Tj ", 100_000)),
			Stream("", "1 begincodespacerange <00> <ff> endcodespacerange 1000000000 beginbfchar "+
				"endbfchar 50000 beginbfrange "+strings.Repeat("<00> <00> <41> ", 50_000)+
				"endbfrange"))
	})
	pdf("table of itself", func() []byte {
		b := Shows("", "(x) Tj")
		return bytes.Replace(b, []byte("/Size"), []byte("/Prev 9/Size"), 1)
	})
	pdf("tables in a circle", func() []byte {
		b := Shows("", "(x) Tj")
		at := bytes.Index(b, []byte("xref\n"))
		return bytes.Replace(b, []byte("/Size"), fmt.Appendf(nil, "/Prev %d/Size", at), 1)
	})
	pdf("a billion objects", func() []byte {
		return bytes.Replace(Shows("", "(x) Tj"), []byte("xref\n0 "), []byte("xref\n0 200000000"),
			1)
	})
	pdf("encrypted by nobody", func() []byte {
		return Shows("/Encrypt<</Filter/Standard/V 4/R 4/Length 99999/O(x)/U(x)/P 1>>/ID[(x)(x)]",
			"(x) Tj")
	})
	pdf("huge picture", func() []byte {
		return Shows("", "/X Do", Stream("/Subtype/Image/Width 999999999/Height 999999999"+
			"/Filter/FlateDecode", "x"))
	})

	const document, workbook, sheet = "word/document.xml", "xl/workbook.xml",
		"xl/worksheets/sheet1.xml"
	office := func(name, kind string, parts func() []ZipPart) {
		add("Z "+name, kind, func() []byte { return Zip(parts()...) })
	}
	text := func(name, text string) {
		office(name, DOCXType, func() []ZipPart { return []ZipPart{{document, text}} })
	}
	long := func(name, before, text string, times int) {
		office(name, DOCXType, func() []ZipPart {
			return []ZipPart{{document, before + strings.Repeat(text, times)}}
		})
	}
	office("empty", DOCXType, func() []ZipPart { return nil })
	add("Z no archive", DOCXType, func() []byte { return []byte("PK\x03\x04 nothing") })
	add("Z cut", DOCXType, func() []byte {
		b := Zip(ZipPart{document, strings.Repeat("<p><t>x</t></p>", 1000)})
		return b[:len(b)-30]
	})
	add("Z bomb", DOCXType, func() []byte { return bomb(document, 200, ' ', 1<<30) })
	add("Z bomb that lies", DOCXType, func() []byte { return bomb(document, 200, ' ', 10) })
	add("Z bomb that is said to be huge", DOCXType, func() []byte {
		return bomb(document, 1, ' ', 1<<60)
	})
	add("Z bomb of one text", ODTType, func() []byte { return bomb("content.xml", 200, 'x', 9) })
	add("Z bomb in what is not read", DOCXType, func() []byte {
		return bomb("word/media/picture.png", 200, 'x', 9)
	})
	add("Z bomb about the file", ODTType, func() []byte { return bomb("meta.xml", 200, '<', 9) })
	long("deep", "", "<p>", 2_000_000)
	long("text without end", "<p><t>", "x", 30<<20)
	long("tag without end", "<p a='", "x", 30<<20)
	long("attributes", "<p", " a='b'", 4_000_000)
	text("entities", "<!DOCTYPE p [<!ENTITY a 'aaaaaaaaaa'><!ENTITY b '&a;&a;&a;'>]><p><t>&b;</t>"+
		"</p>")
	long("comment without end", "<!--", "-", 30<<20)
	long("no XML", "", "\x00\xff", 1<<20)
	text("another charset", "<?xml version='1.0' encoding='utf-32'?><p><t>x</t></p>")
	long("ends of nothing", "", "</p>", 1_000_000)
	long("paragraphs", "", "<p/>", 5_000_000)
	cells := func(name, texts, rows string, times, rowTimes int) {
		office(name, XLSXType, func() []ZipPart {
			return []ZipPart{{workbook, "<w/>"},
				{
					"xl/sharedStrings.xml",
					strings.Repeat(texts, times),
				}, {sheet, strings.Repeat(rows, rowTimes)}}
		})
	}
	const cell = "<row><c t='s'><v>0</v></c></row>"
	cells("cells that name nothing", "", "<row><c t='s'><v>999999999</v></c></row>", 1, 1)
	cells("one text in many cells", "<si><t>"+strings.Repeat("x", 1<<10)+"</t></si>", cell, 1,
		1_000_000)
	cells("texts", "<si><t>x</t></si>", cell, 3_000_000, 1)
	add("Z parts", XLSXType, func() []byte {
		parts := make([]ZipPart, 100_000)
		for i := range parts {
			parts[i].Name = fmt.Sprintf("xl/worksheets/sheet%d.xml", i)
		}
		return Zip(append(parts, ZipPart{workbook, "<w/>"})...)
	})
	return all
}
