package emulator

import (
	"encoding/json"
	"math"
	"net/netip"
	"time"
)

func (e *Emulator) managedRoutes() {
	e.contactRoutes()
	e.credentialRoutes()
	e.issueRoutes()
	e.machineRoutes()
	e.serviceRoutes()
	e.route(Operation{"view stats", "GET", "/managed/stats", "account:read_only", false}, e.stats)
}

type issue struct {
	ID       int    `json:"id"`
	Created  stamp  `json:"created"`
	Entity   entity `json:"entity"`
	Services []int  `json:"services"`
}

type entity struct {
	ID    int    `json:"id"`
	Label string `json:"label"`
	Type  string `json:"type"`
	URL   string `json:"url"`
}

func (e *Emulator) issueRoutes() {
	e.route(Operation{"list issues", "GET", "/managed/issues", "account:read_only", false}, func(c *call) (any, error) { return paged(c, e.issues) })
	e.route(Operation{"view issue", "GET", "/managed/issues/{id}", "account:read_only", false}, func(c *call) (any, error) {
		return found(byID(e.issues, c.number("id"), func(x *issue) int { return x.ID }))
	})
}

type machine struct {
	ID    int    `json:"id"`
	Label string `json:"label"`
	Group string `json:"group"`
	SSH   ssh    `json:"ssh"`
}

type ssh struct {
	Access bool    `json:"access"`
	User   *string `json:"user"`
	IP     string  `json:"ip"`
	Port   *int    `json:"port"`
}

func (e *Emulator) machineRoutes() {
	e.route(Operation{"list SSH settings", "GET", "/managed/instance-settings", "account:read_only", false},
		func(c *call) (any, error) { return paged(c, e.machines) }, "GET /managed/linode-settings")
	e.route(Operation{"view SSH settings", "GET", "/managed/instance-settings/{id}", "account:read_only", false},
		func(c *call) (any, error) { return found(e.machine(c)) }, "GET /managed/linode-settings/{id}")
	e.route(Operation{"update SSH settings", "PUT", "/managed/instance-settings/{id}", "account:read_write", true}, e.updateMachine, "PUT /managed/linode-settings/{id}")
}

func (e *Emulator) machine(c *call) *machine {
	return byID(e.machines, c.number("id"), func(x *machine) int { return x.ID })
}

// updateMachine takes a part of ssh. Bounds are the real service's: user at most 32, port 1..65535, an address or any; its address errors
// come under the name ip.
func (e *Emulator) updateMachine(c *call) (any, error) {
	x := e.machine(c)
	if x == nil {
		return nil, notFound()
	}
	var sent map[string]json.RawMessage
	if c.has("ssh") && json.Unmarshal(c.body["ssh"], &sent) != nil {
		return nil, invalid("ssh", "ssh must be an object")
	}
	in, changed := &call{body: sent}, x.SSH
	user := value(changed.User)
	if err := first(in.truth("access", &changed.Access), in.text("user", &user, 0, 32), in.text("ip", &changed.IP, 1, 64)); err != nil {
		f := err.(*failure)
		f.reasons[0].Field = "ssh." + f.reasons[0].Field
		return nil, f
	}
	if _, err := netip.ParseAddr(changed.IP); err != nil && changed.IP != "any" {
		return nil, invalid("ip", "Must be an IP address of the instance or any")
	}
	if in.has("port") {
		changed.Port = nil
		if !in.null("port") {
			port := 0
			if in.integer("port", &port, 1, 65535) != nil || port == 0 {
				return nil, invalid("ssh.port", "Must be 1-65535")
			}
			changed.Port = &port
		}
	}
	changed.User = optional(user)
	x.SSH = changed
	return x, nil
}

type point struct {
	X int64   `json:"x"`
	Y float64 `json:"y"`
}

// stats are 288 points of five minutes up to now: a day's curve, with a climb where an issue was detected.
func (e *Emulator) stats(*call) (any, error) {
	if len(e.machines) == 0 {
		return map[string]any{"data": []string{"Graphs are not yet available."}}, nil
	}
	const step = 5 * time.Minute
	end := e.now().UTC().Truncate(step)
	series := map[string][]point{}
	for i := range 288 {
		at := end.Add(-time.Duration(287-i) * step)
		day := 0.5 - 0.5*math.Cos(2*math.Pi*(float64(at.Hour())+float64(at.Minute())/60-4)/24)
		rough := math.Abs(math.Sin(float64(at.Unix()/300)*1.7)) * 0.15
		load := day + rough + e.trouble(at)
		add := func(name string, v float64) {
			series[name] = append(series[name], point{at.UnixMilli(), math.Round(v*100) / 100})
		}
		add("cpu", 90+150*load)
		add("disk", 400+900*load)
		add("net_in", 12e6+31e6*load)
		add("net_out", 30e6+70e6*load)
		add("swap", 0.4*rough+8*e.trouble(at))
	}
	return map[string]any{"data": series}, nil
}

// trouble is how much the issues around a moment raise the load.
func (e *Emulator) trouble(at time.Time) float64 {
	raised := 0.0
	for _, x := range e.issues {
		if d := at.Sub(time.Time(x.Created)); d > -15*time.Minute && d < 40*time.Minute {
			raised = max(raised, 1-math.Abs(d.Minutes()-5)/40)
		}
	}
	return raised
}
