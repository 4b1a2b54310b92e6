// virtual_nodes COUNT DELAY_US MBIT: nodes n1, n2, ... on this machine, behind one switch.
//
// Each node is a network namespace and a UTS namespace of its own: an interface e0 with the address
// 10.77.0.N, and its own host name. The switch is this process: it carries frames between the
// nodes' TAP devices, each after the time that the sender's link needs for it at MBIT (0: none) and
// DELAY_US more. (Where tc netem is there, it can do the same; in many containers it is not.)
//
// It prints a line per node, "NAME ADDRESS NET UTS", with files for nsenter(1), and then carries
// frames until its standard input ends. The namespaces are kept by its open files alone: whatever
// happens to the test, nothing stays behind. Needs root and /dev/net/tun.
#include <fcntl.h>
#include <linux/if_tun.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sched.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <map>
#include <queue>
#include <string>
#include <vector>

namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

[[noreturn]] void die(const char* what) {
  std::fprintf(stderr, "virtual_nodes: %s: %s\n", what, std::strerror(errno));
  std::exit(1);
}

int check(int result, const char* what) {
  if (result < 0) die(what);
  return result;
}

std::int64_t now() {
  timespec time{};
  ::clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * kSecond + time.tv_nsec;
}

struct Frame {
  std::int64_t due = 0;
  std::int64_t number = 0;  // frames that are due together keep their order
  std::vector<char> bytes;
  bool operator>(const Frame& other) const {
    return due != other.due ? due > other.due : number > other.number;
  }
};

struct Port {
  int tap = -1;
  std::int64_t free_at = 0;  // when the node's link has sent what it was given
  std::priority_queue<Frame, std::vector<Frame>, std::greater<>> waiting;
};

void set_flags_up(int socket, const char* name) {
  ifreq request{};
  std::strncpy(request.ifr_name, name, IFNAMSIZ - 1);
  check(::ioctl(socket, SIOCGIFFLAGS, &request), name);
  request.ifr_flags = static_cast<short>(request.ifr_flags | IFF_UP);
  check(::ioctl(socket, SIOCSIFFLAGS, &request), name);
}

void set_address(int socket, unsigned long what, std::uint32_t address) {
  ifreq request{};
  std::strncpy(request.ifr_name, "e0", IFNAMSIZ - 1);
  sockaddr_in in{};
  in.sin_family = AF_INET;
  in.sin_addr.s_addr = htonl(address);
  std::memcpy(&request.ifr_addr, &in, sizeof in);
  check(::ioctl(socket, what, &request), "e0");
}

/// This process goes into new namespaces and leaves open files behind that keep them.
Port make_node(int number) {
  check(::unshare(CLONE_NEWNET | CLONE_NEWUTS), "unshare");
  const std::string name = "n" + std::to_string(number);
  check(::sethostname(name.data(), name.size()), "sethostname");
  Port port;
  port.tap = check(::open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC), "/dev/net/tun");
  ifreq request{};
  request.ifr_flags = IFF_TAP | IFF_NO_PI;
  std::strncpy(request.ifr_name, "e0", IFNAMSIZ - 1);
  check(::ioctl(port.tap, TUNSETIFF, &request), "TUNSETIFF");
  const int socket = check(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0), "socket");
  constexpr std::uint32_t kNetwork = 0x0A4D0000;  // 10.77.0.0
  set_address(socket, SIOCSIFADDR, kNetwork + static_cast<std::uint32_t>(number));
  set_address(socket, SIOCSIFNETMASK, 0xFFFFFF00);
  set_flags_up(socket, "e0");
  set_flags_up(socket, "lo");
  ::close(socket);
  const int net = check(::open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC), "ns/net");
  const int uts = check(::open("/proc/self/ns/uts", O_RDONLY | O_CLOEXEC), "ns/uts");
  std::printf("%s 10.77.0.%d /proc/%d/fd/%d /proc/%d/fd/%d\n", name.c_str(), number, ::getpid(),
              net, ::getpid(), uts);
  return port;
}

class Switch {
 public:
  Switch(std::vector<Port> ports, std::int64_t delay, double mbit)
      : ports_(std::move(ports)),
        delay_(delay),
        mbit_(mbit),
        poll_(check(::epoll_create1(EPOLL_CLOEXEC), "epoll")),
        timer_(check(::timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC), "timer")) {
    for (std::size_t i = 0; i < ports_.size(); ++i) watch(ports_[i].tap, i);
    watch(timer_, kTimer);
    watch(STDIN_FILENO, kInput);
  }

  void run() {
    for (;;) {
      deliver();
      std::array<epoll_event, 16> events{};
      const int count = ::epoll_wait(poll_, events.data(), events.size(), -1);
      for (int i = 0; i < count; ++i) {
        const std::uint64_t who = events[static_cast<std::size_t>(i)].data.u64;
        if (who == kInput) return;
        if (who == kTimer) {
          std::uint64_t expired = 0;
          if (::read(timer_, &expired, sizeof expired) < 0 && errno != EAGAIN) die("timer");
        } else {
          receive(who);
        }
      }
    }
  }

 private:
  static constexpr std::uint64_t kTimer = 1000, kInput = 1001;
  using Address = std::array<char, 6>;

  void watch(int file, std::uint64_t who) const {
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.u64 = who;
    check(::epoll_ctl(poll_, EPOLL_CTL_ADD, file, &event), "epoll_ctl");
  }

  void receive(std::size_t from) {
    std::array<char, 65536> frame;  // NOLINT: the device fills it
    for (int i = 0; i < 64; ++i) {  // a flood on one port does not starve the others
      const ssize_t size = ::read(ports_[from].tap, frame.data(), frame.size());
      if (size < 14) return;  // no whole header: nothing there
      Address to, sender;
      std::memcpy(to.data(), frame.data(), 6);
      std::memcpy(sender.data(), frame.data() + 6, 6);
      known_[sender] = from;
      const std::int64_t due = sent_at(ports_[from], size) + delay_;
      const auto found = known_.find(to);
      for (std::size_t port = 0; port < ports_.size(); ++port) {
        if (port == from || (found != known_.end() && found->second != port)) continue;
        ports_[port].waiting.push({due, number_++, {frame.data(), frame.data() + size}});
      }
    }
  }

  /// When the sender's link is through with a frame: it takes one after the other.
  std::int64_t sent_at(Port& sender, ssize_t bytes) const {
    const double nanoseconds = mbit_ > 0 ? static_cast<double>(bytes) * 8 * 1000 / mbit_ : 0;
    sender.free_at = std::max(now(), sender.free_at) + static_cast<std::int64_t>(nanoseconds);
    return sender.free_at;
  }

  void deliver() {
    const std::int64_t time = now();
    std::int64_t next = 0;
    for (Port& port : ports_) {
      while (!port.waiting.empty() && port.waiting.top().due <= time) {
        const std::vector<char>& bytes = port.waiting.top().bytes;
        // A full queue drops frames, as a network does.
        static_cast<void>(!::write(port.tap, bytes.data(), bytes.size()));
        port.waiting.pop();
      }
      if (port.waiting.empty()) continue;
      next = next == 0 ? port.waiting.top().due : std::min(next, port.waiting.top().due);
    }
    itimerspec alarm{};
    alarm.it_value = {next / kSecond, next % kSecond};  // 0: none
    check(::timerfd_settime(timer_, TFD_TIMER_ABSTIME, &alarm, nullptr), "timer");
  }

  std::vector<Port> ports_;
  std::int64_t delay_;
  double mbit_;
  int poll_;
  int timer_;
  std::int64_t number_ = 0;
  std::map<Address, std::size_t> known_;
};

}  // namespace

int main(int count, char** words) {
  if (count != 4) {
    std::fputs("usage: virtual_nodes COUNT DELAY_US MBIT\n", stderr);
    return 2;
  }
  const int own = check(::open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC), "ns/net");
  const int nodes = std::atoi(words[1]);
  std::vector<Port> ports;
  for (int i = 1; i <= nodes; ++i) ports.push_back(make_node(i));
  check(::setns(own, CLONE_NEWNET), "setns");
  ::setpriority(PRIO_PROCESS, 0, -20);  // a link does not wait for a processor
  std::puts("ready");
  std::fflush(stdout);
  Switch(std::move(ports), std::atoll(words[2]) * 1000, std::atof(words[3])).run();
}
