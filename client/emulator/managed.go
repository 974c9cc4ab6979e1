package emulator

import (
	"encoding/json"
	"math"
	"net/netip"
	"time"
)

func addManagedRoutes(e *Emulator) {
	addContactRoutes(e)
	addCredentialRoutes(e)
	addIssueRoutes(e)
	addInstanceRoutes(e)
	addServiceRoutes(e)
	e.handle(Route{"view stats", "GET", "/managed/stats", "account:read_only", false}, viewStats)
}

type issue struct {
	ID       int       `json:"id"`
	Created  timestamp `json:"created"`
	Entity   entity    `json:"entity"`
	Services []int     `json:"services"`
}

type entity struct {
	ID    int    `json:"id"`
	Label string `json:"label"`
	Type  string `json:"type"`
	URL   string `json:"url"`
}

func addIssueRoutes(e *Emulator) {
	e.handle(
		Route{"list issues", "GET", "/managed/issues", "account:read_only", false},
		func(c *apiRequest) (any, error) { return paginate(c, e.issues) },
	)
	e.handle(
		Route{"view issue", "GET", "/managed/issues/{id}", "account:read_only", false},
		func(c *apiRequest) (any, error) {
			return orNotFound(findByID(e.issues, c.pathInt("id"), func(x *issue) int { return x.ID }))
		},
	)
}

type instance struct {
	ID    int         `json:"id"`
	Label string      `json:"label"`
	Group string      `json:"group"`
	SSH   sshSettings `json:"ssh"`
}

type sshSettings struct {
	Access bool    `json:"access"`
	User   *string `json:"user"`
	IP     string  `json:"ip"`
	Port   *int    `json:"port"`
}

func addInstanceRoutes(e *Emulator) {
	e.handle(Route{"list SSH settings", "GET", "/managed/instance-settings", "account:read_only", false},
		func(c *apiRequest) (any, error) { return paginate(c, e.instances) }, "GET /managed/linode-settings")
	e.handle(Route{"view SSH settings", "GET", "/managed/instance-settings/{id}", "account:read_only", false},
		func(c *apiRequest) (any, error) { return orNotFound(findInstance(c)) }, "GET /managed/linode-settings/{id}")
	e.handle(
		Route{"update SSH settings", "PUT", "/managed/instance-settings/{id}", "account:read_write", true},
		updateInstance, "PUT /managed/linode-settings/{id}",
	)
}

func findInstance(c *apiRequest) *instance {
	return findByID(c.e.instances, c.pathInt("id"), func(x *instance) int { return x.ID })
}

// updateInstance updates the given parts of ssh. The limits are those of the real service: a user of at most 32
// characters, port 1 to 65535, an IP address or "any". Errors of the address name the field ip.
func updateInstance(c *apiRequest) (any, error) {
	x := findInstance(c)
	if x == nil {
		return nil, notFound()
	}
	var sent map[string]json.RawMessage
	if c.has("ssh") && json.Unmarshal(c.body["ssh"], &sent) != nil {
		return nil, invalidField("ssh", "ssh must be an object")
	}
	in, changed := &apiRequest{body: sent}, x.SSH
	user := valueOrEmpty(changed.User)
	if err := firstError(
		in.readBool("access", &changed.Access), in.readString("user", &user, 0, 32),
		in.readString("ip", &changed.IP, 1, 64),
	); err != nil {
		f := err.(*apiError)
		f.reasons[0].Field = "ssh." + f.reasons[0].Field
		return nil, f
	}
	if _, err := netip.ParseAddr(changed.IP); err != nil && changed.IP != "any" {
		return nil, invalidField("ip", "Must be an IP address of the instance or any")
	}
	if in.has("port") {
		changed.Port = nil
		if !in.isNull("port") {
			port := 0
			if in.readInt("port", &port, 1, 65535) != nil || port == 0 {
				return nil, invalidField("ssh.port", "Must be 1-65535")
			}
			changed.Port = &port
		}
	}
	changed.User = nilIfEmpty(user)
	x.SSH = changed
	return x, nil
}

type point struct {
	X int64   `json:"x"`
	Y float64 `json:"y"`
}

// statStep is the time between two samples, which are at multiples of it.
const statStep = 5 * time.Minute

// viewStats returns 288 samples up to now: a daily curve that rises around issues.
func viewStats(c *apiRequest) (any, error) {
	if len(c.e.instances) == 0 {
		return map[string]any{"data": []string{"Graphs are not yet available."}}, nil
	}
	end := c.e.now().UTC().Truncate(statStep)
	series := map[string][]point{}
	for i := range 288 {
		at := end.Add(-time.Duration(287-i) * statStep)
		day := 0.5 - 0.5*math.Cos(2*math.Pi*(float64(at.Hour())+float64(at.Minute())/60-4)/24)
		rough := math.Abs(math.Sin(float64(at.Unix()/300)*1.7)) * 0.15
		load := day + rough + c.e.incidentLoad(at)
		add := func(name string, v float64) {
			series[name] = append(series[name], point{at.UnixMilli(), math.Round(v*100) / 100})
		}
		add("cpu", 90+150*load)
		add("disk", 400+900*load)
		add("net_in", 12e6+31e6*load)
		add("net_out", 30e6+70e6*load)
		add("swap", 0.4*rough+8*c.e.incidentLoad(at))
	}
	return map[string]any{"data": series}, nil
}

// incidentLoad returns the extra load that issues cause at a time, from 0 to 1. It depends on the sample nearest to an
// issue, so that samples do not change with the second at which the account was made.
func (a *account) incidentLoad(at time.Time) float64 {
	raised := 0.0
	for _, x := range a.issues {
		if d := at.Sub(time.Time(x.Created).Round(statStep)); d > -15*time.Minute && d < 40*time.Minute {
			raised = max(raised, 1-math.Abs(d.Minutes()-5)/40)
		}
	}
	return raised
}
