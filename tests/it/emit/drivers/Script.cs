// Reads the scripts of the reference interpreter.
namespace Scripts
{
    public sealed class Failing : System.Exception
    {
    }

    public sealed class Script
    {
        private sealed class Call_
        {
            internal long Method;
            internal bool Fails, Must, Used;
            internal string[] Args;
            internal string Result;
        }

        private readonly string name;
        private readonly string[] lines;
        private readonly bool lazy;
        private int next;
        private string line, rest;
        private Call_[] calls;
        private int at;

        public Script(string name, string text, bool lazy)
        {
            this.name = name;
            this.lazy = lazy;
            lines = text.Split('\n');
        }

        public bool Line()
        {
            if (lines[next] == "Q") return false;
            line = rest = lines[next++];
            return true;
        }

        public string Word()
        {
            int end = rest.IndexOf(' ');
            string word = end < 0 ? rest : rest.Substring(0, end);
            rest = end < 0 ? "" : rest.Substring(end + 1);
            return word;
        }

        public string Rest() { return rest; }
        public long Int() { return long.Parse(Word(), System.Globalization.CultureInfo.InvariantCulture); }
        public bool Bool() { return Word() == "1"; }
        public double Real() { return double.Parse(Word(), System.Globalization.CultureInfo.InvariantCulture); }

        public void Check(bool holds, string what)
        {
            if (!holds) throw new System.Exception(name + ": " + what + "\n" + line);
        }

        public void Calls()
        {
            calls = new Call_[Int()];
            at = 0;
            for (int i = 0; i < calls.Length; i++)
            {
                var call = new Call_ { Method = Int(), Fails = Bool(), Must = Bool() };
                call.Args = new string[Int()];
                for (int j = 0; j < call.Args.Length; j++) call.Args[j] = Word();
                call.Result = Word();
                calls[i] = call;
            }
        }

        private static bool Fits(Call_ call, long method, double[] args)
        {
            if (call.Used || call.Method != method || call.Args.Length != args.Length) return false;
            for (int i = 0; i < args.Length; i++)
            {
                if (double.Parse(call.Args[i], System.Globalization.CultureInfo.InvariantCulture) != args[i]) return false;
            }
            return true;
        }

        public Script Call(long method, params double[] args)
        {
            int found = at;
            if (lazy)
            {
                for (found = 0; found < calls.Length && !Fits(calls[found], method, args); found++) { }
            }
            Check(found < calls.Length && Fits(calls[found], method, args), "unexpected call of " + method);
            calls[found].Used = true;
            at++;
            if (calls[found].Fails) throw new Failing();
            return new Script(name, "Q", false) { line = line, rest = calls[found].Result };
        }

        public void Made()
        {
            foreach (Call_ call in calls) Check(call.Used || !call.Must, "a call is missing");
        }
    }
}
