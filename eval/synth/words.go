package synth

import "strings"

// words are the words of pages, chosen by hand; none is a name.
var words = strings.Fields(`the of and to in a for is on that by with as it from at an are this
which or be was has have not will can more new all also but their other one may time only use
two first some year been these work its most made after over such where many any between under
because each while about before through during without against within among across along often
always usually rarely soon later once again early late small large long short high low open clear
simple common local public general special main early major minor recent annual weekly daily
office market service product system design method result report paper study course school
student teacher member group project research science history culture music garden kitchen river
mountain village city station street harbour bridge castle temple market festival season spring
summer autumn winter morning evening weather water stone paper metal glass cotton silk rice tea
coffee bread fruit fish bird flower tree forest field road train ship engine machine tool part
pattern colour line point surface number table figure chapter letter record archive library museum
gallery studio theatre concert lecture lesson practice exercise question answer example problem
solution measure model sample test trial change growth order price cost value account budget
contract plan schedule meeting visit travel journey guide map note list entry message notice
request reply support quality safety health energy power light sound image film print press news
article journal volume edition page index link address form data network signal control circuit
device sensor display memory process program language grammar word sentence translation reading
writing drawing painting building house room door window floor roof wall ground path corner side
centre north south east west region area district border coast island valley lake plain hill
make take give find show keep bring follow carry hold reach build grow begin learn write read
compare describe explain support include provide require consider develop improve offer produce
receive remain return select supply`)

// sections are names of directories and of their content.
var sections = strings.Fields(`products services research projects library events history gallery
members staff courses support articles reports catalogue lectures recipes travel garden tools
archive papers notes guides music studio workshop exhibits letters records materials results
regions collections seminars software stories weather maps`)

// serverFirst and serverSecond make server names. Their lengths, 48 and 40, match the step in
// serverName: every pair occurs once.
var serverFirst = strings.Fields(`amber birch cedar delta ember fjord grove haven iris juniper
kestrel larch maple nectar olive pine quartz ridge sable thistle umber violet willow yarrow azure
breeze copper dune elm fern granite harbor indigo jade linden meadow north orchard pebble reed
silver tidal upland vale wharf zephyr acorn basalt`)

var serverSecond = strings.Fields(`works house field press lab mill gate court bridge farm studio
yard tower park hill port lane stone wood line point craft books tools seeds foods metals optics
motors textiles ceramics papers garden clinic school union guild circle forum atelier`)

// serverName returns a different name for each number.
func serverName(i int, offset uint64, d Domain) string {
	f, n := len(serverFirst), len(serverSecond)
	k := i + int(offset%uint64(f*n))
	name := serverFirst[k%f] + "-" + serverSecond[(k/f+7*k)%n]
	if round := k / (f * n); round > 0 {
		name += "-" + itoa(round+1)
	}
	return "www." + name + "." + strings.ToLower(d.String()) + ".example"
}
